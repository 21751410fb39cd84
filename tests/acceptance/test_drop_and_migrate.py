"""`drop`, `migrate` and `status --all` as they are typed, and what they print."""

import os
import subprocess
from pathlib import Path

import neo4j
import pytest

from tests.acceptance.command_line import CommandLine
from tests.servers import TestServer


@pytest.fixture
def graph(line: CommandLine, tmp_path: Path) -> None:
    """A graph of one passage, read by the scripted model."""
    source = tmp_path / "passages.jsonl"
    source.write_text('{"id": "1", "text": "Rome lies on the Tiber."}\n')
    line.run("index", str(source), "--model", "scripted")


@pytest.mark.usefixtures("graph")
def test_drop_asks_says_what_it_would_do_and_does_it(
    line: CommandLine, namespace: str, driver: neo4j.Driver, server: TestServer
) -> None:
    refused = line.run("drop", status=2)
    assert "Nobody can be asked here. Add --yes" in refused.stderr
    counts = "1 passage, 2 phrases, 1 fact, 2 kept answers, 1 run, 0 projections"
    planned = line.run("drop", "--dry-run")
    assert planned.stderr == f"Would drop the graph '{namespace}' ({counts}).\n"
    values = line.read("drop", "--yes")
    assert (values["namespace"], values["nodes"], values["answers"], values["dry_run"]) == (namespace, 7, 2, False)
    assert namespace not in values["graphs"]
    assert line.read("drop", "--yes", status=1)["error"]["type"] == "GraphNotFoundError"
    driver.execute_query("CREATE (:HippoRun {namespace: $n, id: 'late'})", n=namespace, database_=server.database)
    said = line.run("drop", "--yes").stderr
    assert f"The namespace '{namespace}' held no graph; deleted what a drop had left over" in said
    assert "while that ended: 1 node." in said


@pytest.mark.usefixtures("graph")
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal that a program can hold")
@pytest.mark.parametrize(("typed", "left"), [(b"n\n", 1), (b"y\n", None)])
def test_on_a_terminal_it_asks(typed: bytes, left: int | None, line: CommandLine, namespace: str) -> None:
    ours, theirs = os.openpty()
    run = subprocess.Popen(
        [*line.command, "drop"], stdin=theirs, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=line.environment
    )
    os.write(ours, typed)
    _, said = run.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert f"Drop the graph '{namespace}' (1 passage," in said.decode()
    assert "There is no way back. [y/N]" in said.decode()
    if left is None:
        assert b"is dropped: 7 nodes" in said
        line.run("status", status=1)
    else:
        assert line.read("status")["passages"] == left


@pytest.mark.usefixtures("graph")
def test_all_graphs_are_listed(line: CommandLine, namespace: str) -> None:
    graphs = {graph["namespace"]: graph for graph in line.read("status", "--all")["graphs"]}
    assert graphs[namespace]["schema_version"] == 1
    assert graphs[namespace]["dropping"] is False
    assert namespace in line.run("status", "--all").stdout
    assert "--all lists graphs" in line.run("status", "--all", "--failed", status=2).stderr


@pytest.mark.usefixtures("graph")
def test_migrate_says_what_is_to_do(
    line: CommandLine, namespace: str, driver: neo4j.Driver, server: TestServer
) -> None:
    said = line.run("migrate").stderr
    assert said == f"The graph '{namespace}' has schema version 1 already; there is nothing to do.\n"
    driver.execute_query(
        "MATCH (g:HippoGraph {namespace: $namespace}) SET g.schema_version = 0",
        namespace=namespace,
        database_=server.database,
    )
    for command in (["retrieve", "Rome?", "--mode", "dense"], ["status"], ["ask", "Rome?", "--mode", "bm25"]):
        error = line.read(*command, status=1, HIPPORAG_LLM_MODEL="scripted")["error"]
        assert error["type"] == "SchemaVersionError"
        assert f"`hipporag-neo4j migrate --namespace {namespace}`" in error["message"]
    assert line.read("migrate", status=1)["error"]["type"] == "SchemaVersionError"
