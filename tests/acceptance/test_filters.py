"""Filters as they are typed, and what the commands print of them."""

import json
from pathlib import Path

from tests.acceptance.command_line import CommandLine

PLACES = [
    {"id": "rome", "text": "Rome lies on the Tiber.", "test_year": 2019},
    {"id": "ostia", "text": "Ostia lies on the Tiber.", "test_year": 2020},
    {"id": "turin", "text": "Turin lies on the Po.", "test_year": "2020"},
]


def test_declare_and_filter(line: CommandLine, tmp_path: Path) -> None:
    source = tmp_path / "passages.jsonl"
    source.write_text("".join(json.dumps(place) + "\n" for place in PLACES))
    line.read("index", str(source), "--model", "scripted")
    undeclared = line.run("retrieve", "Tiber", "--mode", "dense", "--where", "test_year=2020", status=1)
    assert "no metadata declared as filterable" in undeclared.stderr
    declared = line.run("init", "--filterable", "test_year:int")
    assert "Questions can be filtered by test_year:int." in declared.stderr
    assert "1 passage has a value of 'test_year' that is no int" in declared.stderr
    assert line.read("status")["filterable"] == {"test_year": "int"}
    (graph,) = (found for found in line.read("doctor")["findings"] if found["check"] == "graph")
    assert graph["found"].endswith("Filterable: test_year:int.")
    source.write_text(json.dumps({"id": "bari", "text": "Bari lies on the sea.", "test_year": "unknown"}) + "\n")
    added = " ".join(line.run("index", str(source), "--model", "scripted").stderr.split())
    assert "1 passage has a value of 'test_year' that is no int, as it is declared" in added
    assert "never allows them (bari)." in added
    found = line.read("retrieve", "Tiber", "--mode", "dense", "--where", "test_year>=2020")
    assert [passage["id"] for passage in found["passages"]] == ["ostia"]
    assert found["filter"] == {"where": "test_year >= 2020", "allowed": 1, "passages": 4}
    nothing = line.run("retrieve", "Tiber", "--mode", "bm25", "--where", "test_year>2020")
    assert "The filter test_year > 2020 allows none of the 4 passages" in " ".join(nothing.stdout.split())
    wrong = line.run("retrieve", "Tiber", "--mode", "dense", "--where", "test_year=>2020", status=2)
    assert "isn't NAME=VALUE" in " ".join(wrong.stderr.replace("│", " ").split())
