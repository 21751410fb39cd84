"""`delete`, `--prune` and `retry-failed` as they are typed, and what they print."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer, extract_from_prompt

PLACES: list[dict[str, Any]] = [
    {"id": "rome", "text": "Rome lies on the Tiber.", "year": 2019},
    {"id": "ostia", "text": "Ostia lies on the Tiber.", "year": "2019"},
    {"id": "turin", "text": "Turin lies on the Po.", "year": 2020, "team": "x=y"},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of three passages."""
    return give(tmp_path / "passages.jsonl", *PLACES)


def give(file: Path, *passages: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(passage) + "\n" for passage in passages))
    return file


def index(line: CommandLine, source: Path, *options: str, status: int = 0) -> dict[str, Any]:
    return line.read("index", str(source), "--model", "scripted", *options, status=status)


def test_delete_by_id_says_what_it_would_do_and_what_it_did(line: CommandLine, source: Path) -> None:
    index(line, source)
    planned = line.run("delete", "--id", "rome", "--id", "turin", "--dry-run")
    assert "Would delete 2 passages:\n  rome\n  turin\n" in planned.stderr
    assert line.read("status")["passages"] == 3
    done = line.run("delete", "--id", "turin", "--id", "nobody", status=1)
    assert "1 passage, 1 fact, 2 phrases, 2 mentions deleted in" in done.stderr
    assert "Not in the graph:\n  nobody\n" in done.stderr
    assert "1 id is not in the graph" in done.stderr
    values = line.read("delete", "--document", "rome")
    assert (values["passages"], values["interrupted"]) == (1, False)
    assert (values["run"]["ids"], values["run"]["passages"], values["run"]["unknown"]) == (["rome"], 1, [])
    again = line.read("delete", "--document", "rome", status=1)
    assert (again["run"]["ids"], again["run"]["id"], again["run"]["unknown"]) == ([], None, ["rome"])


def test_delete_by_metadata(line: CommandLine, source: Path) -> None:
    index(line, source)
    cases: list[tuple[list[str], list[str]]] = [
        (["year=2019", "team=x=y"], []),
        (["year=2019"], ["rome"]),
        (['year="2019"'], ["ostia"]),
        (["year=2020", "team=x=y"], ["turin"]),
    ]
    for conditions, ids in cases:
        options = [word for condition in conditions for word in ("--where", condition)]
        run = line.read("delete", *options, status=0 if ids else 1)["run"]
        assert (run["ids"], run["passages"]) == (ids, len(ids))


@pytest.mark.parametrize(
    "options", [[], ["--id", "a", "--document", "a"], ["--where", "year"], ["--where", "year=1", "--where", "year=2"]]
)
def test_wrong_usage_of_delete(options: list[str], line: CommandLine) -> None:
    assert "Error: Invalid value" in line.run("delete", *options, status=2).stderr


def test_a_slip_in_a_name_is_told(line: CommandLine, source: Path) -> None:
    index(line, source)
    said = line.run("delete", "--where", "yaer_=2019", status=1).stderr
    assert "No passage has metadata named 'yaer_'" in said
    assert "'team', 'year'" in said


def test_prune(line: CommandLine, source: Path) -> None:
    index(line, source)
    give(source, PLACES[0], {"text": " "})
    kept = line.run("index", str(source), "--model", "scripted", "--prune", status=1)
    assert "Nothing was pruned, since not all of the source could be used." in kept.stderr
    assert line.read("status")["passages"] == 3
    give(source, PLACES[0])
    assert "1 unchanged, 2 pruned" in line.run("index", str(source), "--model", "scripted", "--prune").stderr
    give(source)
    assert "no passage" in line.run("index", str(source), "--model", "scripted", "--prune", status=1).stderr
    assert "--prune" in line.run("index", str(source), "--model", "scripted", "--force", status=2).stderr
    values = index(line, source, "--prune", "--force")
    assert (values["run"]["pruned"], values["passages"]) == (1, 0)


def test_retry_failed(line: CommandLine, llm_server: LLMServer, source: Path) -> None:
    llm_server.respond = lambda request: "No." if "Ostia" in request.prompt else extract_from_prompt(request)
    failed = line.run("index", str(source), "--model", "scripted", status=1)
    assert "Run hipporag-neo4j retry-failed" in failed.stderr
    assert "retry-failed" in line.run("status").stderr
    source.unlink()
    assert "1 passage not read" in line.run("retry-failed", "--model", "scripted", status=1).stderr
    llm_server.respond = extract_from_prompt
    run = line.read("retry-failed", "--model", "scripted")["run"]
    assert (run["passages"], run["written"], run["failed"]) == (1, 1, 0)
    assert "nothing to try again" in line.run("retry-failed", "--model", "scripted").stderr
