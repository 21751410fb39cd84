"""What `status` says of runs: one that goes on, one that may have been killed, one that was."""

from dataclasses import replace
from datetime import UTC, datetime

from hipporag_neo4j.cli.figures import status_values, summary_lines
from hipporag_neo4j.cli.status import _advice
from hipporag_neo4j.llm.usage import CallUsage
from hipporag_neo4j.runs import Run
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.status import Reason, Status

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
READ = CallUsage("scripted", "triples", calls=9, answered=7, from_cache=2)
RUN = Run("r1", "index", "running", NOW, NOW, 4.0, {}, (READ,), {"passages": 20, "written": 5})
GRAPH = Graph("papers", "minilm", 384, "unicode", 0.8, 1, 7, 7)
WHOLE = Status(GRAPH, 25, 90, 80, 100, 3, 0, 0, 0, 0, 0, 0, 0, {"written": 25}, (), (replace(RUN, state="finished"),))
HALF = replace(WHOLE, graph=replace(GRAPH, version=9), unlinked=12, runs=(RUN,))


def test_a_whole_graph_needs_no_advice() -> None:
    assert list(_advice(WHOLE)) == []


def test_a_run_that_goes_on() -> None:
    assert list(_advice(HALF)) == [
        "A run goes on. Readers see the graph as it was published before.",
        "Left for it: synonyms of 12 phrases to look for; version 9 to publish.",
    ]
    lines = dict(summary_lines(HALF))
    assert lines["last run"] == "r1, index: running, last heard of 4 s ago; 20 passages, 9 read, 5 written"
    assert lines["version"] == "9, readers see 7"


def test_a_run_that_is_silent_may_have_been_killed() -> None:
    silent = replace(HALF, runs=(replace(RUN, silent=40.0),))
    assert next(_advice(silent)).startswith("A run goes on, or was killed: it was last heard of 40 s ago.")
    lost = replace(HALF, runs=(replace(RUN, state="lost", silent=600.0),), unmentioned=1, emptied=2)
    assert next(_advice(lost)).startswith("A run was cut off")
    assert list(_advice(lost))[1] == (
        "Left for the next run: synonyms of 12 phrases to look for; 1 phrase to delete that no passage mentions; "
        "2 nodes of deleted passages to delete; version 9 to publish."
    )


def test_reasons_of_failures_are_counted() -> None:
    failed = replace(WHOLE, states={"written": 20, "failed": 5}, reasons=(Reason("named entities: no JSON", 5),))
    lines = list(summary_lines(failed))
    assert ("passages", "25, 5 of them failed") in lines
    assert ("failed", "5 × named entities: no JSON") in lines


def test_what_is_filterable_is_said() -> None:
    declared = replace(WHOLE, graph=replace(GRAPH, filterable={"year": "int", "team": "string"}))
    assert dict(summary_lines(declared))["filterable"] == "year:int, team:string"
    assert status_values(declared)["filterable"] == {"year": "int", "team": "string"}
    assert "filterable" not in dict(summary_lines(WHOLE))
