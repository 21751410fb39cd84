"""The local server for real: started twice at once, asked, killed, started again. Few starts: each takes seconds."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import neo4j
import psutil
import pytest
from pydantic import SecretStr

from hipporag_neo4j.connect import open_database
from hipporag_neo4j.errors import ConfigurationError, HippoRAGError, LocalServerError
from hipporag_neo4j.local_server import (
    Progress,
    RunningServer,
    ServerOptions,
    find_running,
    read_log,
    start,
    status,
    stop,
)
from hipporag_neo4j.settings import Settings
from tests.servers import ROOT, short_lived

SMALL = ServerOptions(heap="512m", page_cache="128m")


@pytest.fixture(scope="module", autouse=True)
def _short_lived() -> Iterator[None]:
    with short_lived():
        yield


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of a server that belongs to this file alone; its folder's name has a space and a letter beyond ASCII."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("own") / "my dätä")
    yield settings
    stop(settings, timeout=20)


@pytest.fixture(scope="module")
def running(own: Settings) -> RunningServer:
    """The server, started by two processes at the same moment."""
    program = (
        "import sys\n"
        "from hipporag_neo4j.local_server import ServerOptions, start\n"
        "from hipporag_neo4j.settings import Settings\n"
        "report = start(Settings(data_dir=sys.argv[1]), ServerOptions(heap='512m', page_cache='128m'))\n"
        "print(report.server.pid, report.server.uri, report.already_running)\n"
    )
    command = [sys.executable, "-c", program, str(own.data_dir)]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    lines = sorted(process.communicate()[0].split() for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert lines[0][:2] == lines[1][:2]
    assert [line[2] for line in lines] == ["False", "True"]
    found = find_running(own)
    assert found is not None
    assert [str(found.pid), found.uri] == lines[0][:2]
    return found


def connect(server: RunningServer, password: str | None = None) -> neo4j.Driver:
    auth = (server.username, password or server.password.get_secret_value())
    return neo4j.GraphDatabase.driver(server.uri, auth=auth, notifications_min_severity="OFF")


def test_the_walk_restarts_at_weighted_sources(running: RunningServer) -> None:
    """Two nodes joined both ways, seed 3 : 1, following an edge half the time: a = .75/2 + b/2 and b = .25/2 + a/2."""
    with connect(running) as driver:
        driver.execute_query(
            "CREATE (a:Walk {name: 'a'}), (b:Walk {name: 'b'}), (c:Walk {name: 'c'}) "
            "CREATE (a)-[:TO {weight: 2.0}]->(b), (b)-[:TO {weight: 2.0}]->(a), (c)-[:TO {weight: 1.0}]->(a)"
        )
        driver.execute_query(
            "MATCH (s:Walk)-[r:TO]->(t:Walk) "
            "RETURN gds.graph.project('walk', s, t, {relationshipProperties: {weight: r.weight}})"
        )
        records = driver.execute_query(
            "MATCH (a:Walk {name: 'a'}), (b:Walk {name: 'b'}) "
            "CALL gds.pageRank.stream('walk', {sourceNodes: [[a, 0.75], [b, 0.25]], dampingFactor: 0.5, "
            "relationshipWeightProperty: 'weight', maxIterations: 100, tolerance: 1e-12, concurrency: 1}) "
            "YIELD nodeId, score RETURN gds.util.asNode(nodeId).name AS name, score"
        ).records
    scores = {record["name"]: record["score"] for record in records}
    assert scores["a"] == pytest.approx(7 / 12, abs=1e-9)
    assert scores["b"] == pytest.approx(5 / 12, abs=1e-9)
    assert scores["c"] == 0


def test_vector_and_text_indexes_work(running: RunningServer) -> None:
    with connect(running) as driver:
        driver.execute_query(
            "CREATE VECTOR INDEX things IF NOT EXISTS FOR (t:Thing) ON (t.embedding) "
            "OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}"
        )
        driver.execute_query("CREATE FULLTEXT INDEX texts IF NOT EXISTS FOR (t:Thing) ON EACH [t.text]")
        driver.execute_query(
            "CREATE (x:Thing {text: 'a blue lamp'}), (y:Thing {text: 'a red door'}) WITH x, y "
            "CALL db.create.setNodeVectorProperty(x, 'embedding', [1.0, 0.0]) "
            "CALL db.create.setNodeVectorProperty(y, 'embedding', [0.0, 1.0])"
        )
        driver.execute_query("CALL db.awaitIndexes(60)")
        near = driver.execute_query(
            "CALL db.index.vector.queryNodes('things', 1, [0.1, 0.9]) YIELD node RETURN node.text AS text"
        ).records
        said = driver.execute_query(
            "CALL db.index.fulltext.queryNodes('texts', 'lamp') YIELD node RETURN node.text AS text"
        ).records
    assert [record["text"] for record in near] == ["a red door"]
    assert [record["text"] for record in said] == ["a blue lamp"]


def test_it_listens_on_the_loopback_interface_with_bolt_alone(running: RunningServer) -> None:
    listening = {
        connection.laddr
        for connection in psutil.Process(running.pid).net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert len(listening) == 1
    ((host, port),) = listening
    assert host in ("127.0.0.1", "::ffff:127.0.0.1")
    assert running.uri == f"bolt://127.0.0.1:{port}"


def test_only_the_password_opens_it(running: RunningServer) -> None:
    with connect(running) as driver:
        driver.verify_connectivity()
    for wrong in ("neo4j", "something else"):
        with connect(running, wrong) as driver, pytest.raises(neo4j.exceptions.AuthError):
            driver.verify_connectivity()


def test_no_command_line_or_file_gives_the_password_away(running: RunningServer) -> None:
    secret = running.password.get_secret_value()
    assert secret not in " ".join(psutil.Process(running.pid).cmdline())
    assert not any(secret in value for value in psutil.Process(running.pid).environ().values())
    readable = [path for path in running.home.rglob("*") if path.is_file() and path.name != "password"]
    assert readable
    assert [path for path in readable if secret.encode() in path.read_bytes()] == []


def test_it_belongs_to_nobody_and_survives(running: RunningServer) -> None:
    process = psutil.Process(running.pid)
    assert process.ppid() != os.getpid()
    if hasattr(os, "getsid"):
        assert os.getsid(running.pid) != os.getsid(0)


def test_starting_again_says_that_it_runs(own: Settings, running: RunningServer) -> None:
    report = start(own)
    assert report.already_running
    assert report.server == running
    assert report.fetched == 0
    report = start(own.model_copy(update={"server_password": SecretStr("open sesame")}), ServerOptions(port=1))
    assert report.server == running
    assert "keeps the port and password" in report.notes[0]


def test_the_status_tells_what_there_is(own: Settings, running: RunningServer) -> None:
    told = status(own)
    assert (told.state, told.pid, told.uri) == ("running", running.pid, running.uri)
    assert (told.neo4j, told.gds) == ("2026.01.4", "2.26.0")
    assert told.home == running.home
    assert told.data_bytes > 100_000
    assert told.jars_bytes > 150_000_000
    assert (told.heap, told.page_cache) == (512, 128)
    assert told.resident is not None
    assert told.resident > 100_000_000
    with connect(running) as driver:
        versions = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS neo4j").records
        assert versions[0]["neo4j"] == told.neo4j
        assert driver.execute_query("RETURN gds.version() AS gds").records[0]["gds"] == told.gds


def test_the_log_can_be_read(own: Settings, running: RunningServer) -> None:
    assert any("Started." in line for line in read_log(own, 1000))


@pytest.mark.parametrize("content", [None, '{"port": 76'])
def test_a_server_that_nobody_wrote_down_is_found_again(
    own: Settings, running: RunningServer, content: str | None
) -> None:
    """A second one is not even tried: it could only fail at the lock on the data."""
    state = running.home / "run" / "server.json"
    state.unlink()
    if content is not None:
        state.write_text(content)
    assert find_running(own) == running
    assert status(own).state == "running"
    report = start(own, SMALL)
    assert report.already_running
    assert report.server == running
    assert json.loads(state.read_text())["pid"] == running.pid


def test_a_lost_or_wrong_password_is_told_and_can_be_given(own: Settings, running: RunningServer) -> None:
    file = running.home / "password"
    right = own.model_copy(update={"server_password": running.password})
    for content, what in ((None, "missing or empty"), ("some other one", "refuses the password")):
        file.unlink()
        if content is not None:
            file.write_text(content)
        with pytest.raises(HippoRAGError, match=rf"{what}.*HIPPORAG_SERVER_PASSWORD=.*--reset-password"):
            open_database(own)
        with pytest.raises(LocalServerError, match=what):
            start(own)
        assert what in (status(own).problem or "")
        with pytest.raises(LocalServerError, match="server stop"):
            start(own, ServerOptions(reset_password=True))
        assert start(right).server == running
        assert status(own).problem is None
        open_database(own).close()


def test_after_a_kill_it_comes_back_with_its_data_elsewhere_and_with_another_password(
    own: Settings, running: RunningServer
) -> None:
    with connect(running) as driver:
        driver.execute_query("CREATE (:Kept {value: 42})")
    os.kill(running.pid, signal.SIGKILL)
    psutil.wait_procs([process for process in [_process(running.pid)] if process], timeout=20)
    assert find_running(own) is None
    assert status(own).state == "died"

    port = int(running.uri.rpartition(":")[2])
    wanted = SecretStr("open sesame")
    stages: list[Progress] = []
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        report = start(own.model_copy(update={"server_password": wanted}), SMALL, stages.append)
    again = report.server
    assert not report.already_running
    assert again.uri != running.uri
    assert again.password == wanted
    assert len(report.notes) == 3
    assert "ended without being stopped" in report.notes[0]
    assert f"Port {port}" in report.notes[1]
    assert "password was changed" in report.notes[2]
    assert {progress.stage for progress in stages} == {"verify", "recover"}
    assert find_running(own) == again
    with connect(again) as driver:
        assert driver.execute_query("MATCH (k:Kept) RETURN k.value AS value").records[0]["value"] == 42


def test_a_lost_password_is_set_anew_and_the_graph_stays(own: Settings) -> None:
    before = find_running(own)
    assert before is not None
    stop(own)
    before.home.joinpath("password").write_text("some other one")
    with pytest.raises(LocalServerError, match=r"refuses the password.*--reset-password"):
        start(own, SMALL)
    assert status(own).state == "stopped"
    server = start(own, replace(SMALL, reset_password=True)).server
    assert server.password not in (before.password, SecretStr("some other one"))
    with connect(server) as driver:
        assert driver.execute_query("MATCH (k:Kept) RETURN k.value AS value").records[0]["value"] == 42


def test_one_that_does_not_listen_is_killed(own: Settings) -> None:
    found = find_running(own)
    assert found is not None
    os.kill(found.pid, signal.SIGSTOP)
    report = stop(own, timeout=1)
    assert (report.outcome, report.pid) == ("killed", found.pid)
    assert status(own).state == "stopped"
    assert stop(own).outcome == "not running"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ServerOptions(heap="1m"), r"(?s)ended while it started.*server logs"),
        (ServerOptions(heap="much"), "512m or 2g"),
    ],
)
def test_a_start_that_fails_says_why_and_leaves_no_process(
    tmp_path: Path, options: ServerOptions, message: str
) -> None:
    settings = Settings(data_dir=tmp_path)
    with pytest.raises(HippoRAGError, match=message):
        start(settings, options)
    assert find_running(settings) is None
    assert stop(settings).outcome == "not running"


def test_a_wanted_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(LocalServerError, match="is taken"):
            start(Settings(data_dir=tmp_path), ServerOptions(port=other.getsockname()[1]))


def test_an_unusable_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="at least 8 characters"):
        start(Settings(data_dir=tmp_path, server_password=SecretStr("short")))


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None
