"""docker/compose.yaml: what can be said about it without a Docker daemon."""

import os
import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.servers import ROOT

COMPOSE = ROOT / "docker" / "compose.yaml"


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    loaded = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    assert list(loaded["services"]) == ["neo4j"]
    found: dict[str, Any] = loaded["services"]["neo4j"]
    assert {volume.split(":")[0] for volume in found["volumes"]} == set(loaded["volumes"])
    return found


def test_the_image_is_pinned_to_a_release_with_general_vector_search(service: dict[str, Any]) -> None:
    match = re.fullmatch(r"neo4j:(\d{4})\.(\d{2})\.(\d+)-community", service["image"])
    assert match is not None
    assert (int(match[1]), int(match[2])) >= (2026, 2)


def test_ports_are_open_to_this_machine_alone(service: dict[str, Any]) -> None:
    assert service["ports"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_password_has_no_default(service: dict[str, Any]) -> None:
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", service["environment"]["NEO4J_AUTH"])


def test_it_is_healthy_only_with_graph_data_science(service: dict[str, Any]) -> None:
    assert service["environment"]["NEO4J_PLUGINS"] == '["graph-data-science"]'
    kind, command = service["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    assert "cypher-shell" in command
    assert "gds.version()" in command


def test_the_health_check_takes_the_password_from_the_container(service: dict[str, Any]) -> None:
    """Run by a real shell, with `echo` in the place of cypher-shell; `$$` is how compose writes `$`."""
    command = service["healthcheck"]["test"][1].replace("$$", "$").replace("cypher-shell", "printf '%s\\n'", 1)
    password = "with $pace/and 'quotes' \""
    run = subprocess.run(
        ["sh", "-c", command],
        env=os.environ | {"NEO4J_AUTH": f"neo4j/{password}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert password in run.stdout.splitlines()


def test_compose_itself_reads_it() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("needs Docker with its compose plugin")
    command = [docker, "compose", "--file", str(COMPOSE), "config", "--quiet"]
    given = {name: value for name, value in os.environ.items() if name != "NEO4J_PASSWORD"}
    refused = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "Set NEO4J_PASSWORD" in refused.stderr
    subprocess.run(command, env=given | {"NEO4J_PASSWORD": "open sesame"}, check=True)


def test_the_server_reports_to_nobody(service: dict[str, Any]) -> None:
    assert service["environment"]["NEO4J_dbms_usage__report_enabled"] == "false"
    assert service["environment"]["NEO4J_client_allow__telemetry"] == "false"
