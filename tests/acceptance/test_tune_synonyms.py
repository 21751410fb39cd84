"""`tune-synonyms` on a real server: what it prints, what it changes, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command_line import CommandLine

FACTS = {
    "a": ["river bridge", "is near", "ada's house"],
    "b": ["old mill", "is in", "river bridges"],
    "c": ["\x1b[31mold mills", "belong to", "bob"],
}


@pytest.fixture
def graph(line: CommandLine, tmp_path: Path) -> CommandLine:
    """A command line whose namespace holds a small graph."""
    entries = [
        {"idx": id_, "passage": " ".join(fact), "extracted_entities": [], "extracted_triples": [fact]}
        for id_, fact in FACTS.items()
    ]
    file = tmp_path / "openie.json"
    file.write_text(json.dumps(entries))
    line.run("import-openie", str(file))
    return line


def state_of(graph: CommandLine) -> dict[str, Any]:
    """What `status` says of the graph, but for the time that has passed since the last run."""
    found = graph.read("status")
    return found | {"last_run": {name: value for name, value in found["last_run"].items() if name != "silent_seconds"}}


def test_a_sweep_prints_a_table_and_pairs_and_writes_nothing(graph: CommandLine) -> None:
    before = state_of(graph)
    values = graph.read("tune-synonyms", "--from", "0.01", "--to", "0.06", "--step", "0.05")
    assert set(values) == {
        "namespace", "embedding_model", "synonym_threshold", "phrases", "unlinked_phrases", "thresholds", "notes",
    }  # fmt: skip
    assert values["phrases"] == 6
    assert values["synonym_threshold"] == 0.8
    assert [found["threshold"] for found in values["thresholds"]] == [0.01, 0.06]
    for found in values["thresholds"]:
        assert found["pairs"] >= len(found["above"])
        assert all(pair["cosine"] >= found["threshold"] for pair in found["above"])
        assert all(pair["cosine"] < found["threshold"] for pair in found["below"])
        assert found["too_many"] is False
    shown = graph.run("tune-synonyms", "--threshold", "0.05", "--samples", "100", COLUMNS="80").stdout
    assert "0.05 joins what is above this line" in shown
    assert "The graph joins from 0.8 on" in shown
    assert "\x1b" not in shown
    assert state_of(graph) == before


def test_a_threshold_is_applied(graph: CommandLine) -> None:
    """One pair is joined from the beginning: the two bridges."""
    pairs = graph.read("tune-synonyms", "--threshold", "0.05")["thresholds"][0]["pairs"]
    done = graph.read("tune-synonyms", "--apply", "0.05")
    assert (done["before"], done["threshold"], done["pairs"], done["added"]) == (0.8, 0.05, pairs, pairs - 1)
    status = graph.read("status")
    assert (status["synonyms"], status["synonym_threshold"], status["interrupted"]) == (pairs, 0.05, False)
    run = graph.run("tune-synonyms", "--apply", "1", HIPPORAG_SYNONYM_THRESHOLD="0.8")
    assert run.stdout.startswith(f"Synonyms from 1 on, before from 0.05: 0 pairs joined, {pairs} parted, 0 now.")
    assert "HIPPORAG_SYNONYM_THRESHOLD is 0.8: unset it, or set it to 1" in run.stderr


def test_questions_add_recall(graph: CommandLine, tmp_path: Path) -> None:
    questions = tmp_path / "questions.json"
    questions.write_text(
        json.dumps([{"id": "1", "question": "Whose?", "entities": ["ada's house"], "gold": ["a"]}]), encoding="utf-8"
    )
    command = ("tune-synonyms", "--threshold", "0.9", "--questions", str(questions), "--mode", "hipporag1")
    (found,) = graph.read(*command)["thresholds"]
    assert found["recall"] == {"hipporag1": {"recall@2": 1.0, "recall@5": 1.0, "recall@10": 1.0}}
    assert "hipporag1" in graph.run(*command).stdout
    said = graph.run(*command[:-1], "hybrid", status=1).stderr
    assert "HIPPORAG_LLM_MODEL" in said
    assert "--query-decisions" in said


def test_without_a_graph(line: CommandLine) -> None:
    assert "holds no graph" in line.run("tune-synonyms", status=1).stderr
    assert "holds no graph" in line.run("tune-synonyms", "--apply", "0.8", status=1).stderr
    line.run("init")
    assert "holds no phrase" in line.run("tune-synonyms", status=1).stderr
