"""Options that would count for nothing beside others are wrong usage, before a server is asked."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hipporag_neo4j import demo
from hipporag_neo4j.cli.app import app

QUESTIONS = str(demo.SAMPLE / "questions.json")
NOWHERE = {"NEO4J_URI": "bolt://127.0.0.1:1", "COLUMNS": "300"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mode", "dense", "--entity", "Pellick"], "'--entity': the mode dense doesn't start from"),
        (["--mode", "hipporag2", "--entity", "Pellick"], "'--entity': the mode hipporag2 doesn't start from"),
        (["--mode", "hipporag1", "--looks", "2"], "'--looks': only hybrid looks at facts more than once."),
        (["--mode", "bm25", "--no-llm"], "'--no-llm': the mode bm25 asks no language model."),
        (["--mode", "dense", "--no-cache"], "'--no-cache': the mode dense asks no language model."),
        (["--no-llm", "--no-cache"], "'--no-cache': no language model is asked."),
        (["--mode", "hipporag1", "-e", "Pellick", "--no-cache"], "'--no-cache': no language model is asked."),
        (["--full", "-v", "--json"], "'--full', '--verbose': --json gives whole passages and all times. Leave them"),
    ],
)
def test_of_retrieve(options: list[str], said: str) -> None:
    assert said in refusal("retrieve", "Who?", *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mode", "bm25", "--entity", "Pellick"], "'--entity': the mode bm25 doesn't start from"),
        (["--mode", "dense", "--looks", "3"], "'--looks': only hybrid"),
        (["--ircot", "--steps", "1"], "'--ircot': with --steps 1 nothing is searched again."),
    ],
)
def test_of_ask(options: list[str], said: str) -> None:
    assert said in refusal("ask", "Who?", *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--steps", "3", "--answers"], "'--steps': it counts with --ircot. Leave it out."),
        (["--passages", "5"], "'--passages': it counts with --answers and --ircot."),
        (["--outcomes"], "'--outcomes': it counts with --json"),
        (["--no-llm", "--no-cache"], "'--no-cache': no language model is asked."),
        (["--mode", "dense", "--mode", "bm25", "--no-llm"], "no language model is asked by dense and bm25."),
        (["--mode", "dense", "--query-decisions", QUESTIONS], "'--query-decisions': nothing is decided for dense."),
        (["--no-llm", "--query-decisions", QUESTIONS], "nothing is decided for hybrid/no-llm and dense."),
    ],
)
def test_of_evaluate(options: list[str], said: str) -> None:
    assert said in refusal("evaluate", QUESTIONS, *options)


@pytest.mark.parametrize("given", [["--resume", "r.json"], ["--report", "r.json"], ["--query-decisions", "r.json"]])
def test_a_report_takes_no_other_files_place(given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "would be overwritten" in refusal("evaluate", QUESTIONS, *given, "--report", str(tmp_path / "r.json"))
    assert "would be overwritten" in refusal("evaluate", QUESTIONS, "--report", QUESTIONS)


def test_of_making_questions(tmp_path: Path) -> None:
    making = ("evaluate", "--make-questions", "2", "--output", str(tmp_path / "made.json"), "--seed", "3", "--no-cache")
    said = refusal(*making, "--mode", "dense", "--limit", "3", "--passages", "5", "--no-llm", "--resume", "x.jsonl")
    assert "'--mode', '--no-llm', '--limit', '--passages', '--resume': questions are made, and none is asked" in said


def refusal(*arguments: str) -> str:
    """What is said of wrong usage."""
    run = CliRunner().invoke(app, arguments, env=NOWHERE)
    assert run.exit_code == 2, run.output
    return run.output
