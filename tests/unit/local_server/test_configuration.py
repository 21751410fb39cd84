"""Memory, addresses, ports."""

import socket
from pathlib import Path

import pytest

from hipporag_neo4j.errors import ConfigurationError, LocalServerError
from hipporag_neo4j.local_server.configuration import Memory, configure, memory_here, parse_size, suggest_memory
from hipporag_neo4j.local_server.ports import choose_port, is_free

GIGABYTE = 1024**3


@pytest.mark.parametrize(
    ("total", "heap", "page_cache"), [(1, 512, 128), (2, 512, 128), (4, 1024, 204), (8, 2048, 409), (64, 3072, 1024)]
)
def test_memory_suits_the_machine(total: int, heap: int, page_cache: int) -> None:
    assert suggest_memory(total * GIGABYTE) == Memory(heap, page_cache)


def test_memory_here_is_a_sane_number() -> None:
    assert 64 * 1024**2 < memory_here() < 2**50


@pytest.mark.parametrize(("text", "megabytes"), [("512m", 512), ("2g", 2048), (" 3G ", 3072)])
def test_a_size_is_read(text: str, megabytes: int) -> None:
    assert parse_size(text) == megabytes


@pytest.mark.parametrize("text", ["", "2", "0m", "2 GB", "1.5g", "-1g"])
def test_another_size_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="512m or 2g"):
        parse_size(text)


def test_the_configuration_listens_on_the_loopback_interface_only() -> None:
    lines = configure(port=7700, memory=Memory(2048, 256), plugins=Path("jars") / "plugins").splitlines()
    values = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert {value.rpartition(":")[0] or value for name, value in values.items() if name.endswith("_address")} == {
        "127.0.0.1"
    }
    assert values["server.bolt.listen_address"] == "127.0.0.1:7700"
    assert values["server.http.enabled"] == values["server.https.enabled"] == "false"
    assert values["dbms.usage_report.enabled"] == values["client.allow_telemetry"] == "false"
    assert values["dbms.security.procedures.unrestricted"] == "gds.*"
    assert values["server.directories.plugins"] == "jars/plugins"
    assert "dbms.security.auth_enabled" not in values


def test_a_taken_port_is_not_free_and_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free(port)
        with pytest.raises(LocalServerError, match=f"Port {port} .*is taken"):
            choose_port(port, None)
        assert choose_port(None, port) != port


def test_a_port_taken_on_all_interfaces_is_not_free() -> None:
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        assert not is_free(taken.getsockname()[1])


def test_the_port_of_last_time_comes_first() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert choose_port(None, port) == port
    assert choose_port(port, None) == port
    assert is_free(choose_port(None, None))


def test_a_port_used_a_moment_ago_is_free() -> None:
    """A connection that has just ended keeps its port busy for a minute, but not for a server, which Java's is."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", 0))
        server.listen()
        address = server.getsockname()
        client = socket.create_connection(address)
        accepted, _ = server.accept()
        accepted.close()
        client.close()
    assert is_free(address[1])


@pytest.mark.parametrize("port", [0, -1, 65536, 99_999_999])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{port} is no port"):
        choose_port(port, None)
