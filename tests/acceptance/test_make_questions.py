"""`evaluate --make-questions`: a question file from a graph, and what `evaluate` says of it."""

import json
from pathlib import Path

import pytest

from hipporag_neo4j import demo
from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer, question_from_prompt


@pytest.fixture
def sample(line: CommandLine, llm_server: LLMServer) -> CommandLine:
    """A command line whose namespace holds the sample, and whose model writes good questions."""
    line.run("import-openie", str(demo.OPENIE))
    llm_server.respond = question_from_prompt
    return line


def test_questions_are_made_once_and_evaluated_with_a_warning(
    sample: CommandLine, llm_server: LLMServer, tmp_path: Path
) -> None:
    file = tmp_path / "made.json"
    made = sample.read(
        "evaluate", "--make-questions", "4", "--output", str(file), "--seed", "3", HIPPORAG_LLM_MODEL="scripted"
    )
    assert made["made"] == 4
    entries = json.loads(file.read_text(encoding="utf-8"))
    assert entries == made["questions"]
    assert all(entry["synthetic"] and 2 <= len(entry["gold"]) <= 3 for entry in entries)
    figures = sample.read("evaluate", str(file), "--mode", "dense")
    assert figures["questions"] == 4
    assert any("4 of 4 questions are synthetic" in warning for warning in figures["warnings"])
    asked = len(llm_server.chats)
    other = tmp_path / "again.json"
    again = sample.run(
        "evaluate", "--make-questions", "4", "--output", str(other), "--seed", "3", HIPPORAG_LLM_MODEL="scripted"
    )
    assert "from cache" in again.stderr
    assert f"hipporag-neo4j evaluate {other} --namespace" in again.stderr
    assert json.loads(other.read_text(encoding="utf-8")) == entries
    assert len(llm_server.chats) == asked


def test_too_few_chains_are_said_with_their_number(sample: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    run = sample.run("evaluate", "--make-questions", "5000", "--output", str(file), HIPPORAG_LLM_MODEL="scripted")
    count = len(json.loads(file.read_text(encoding="utf-8")))
    assert 0 < count < 5000
    assert f"{count} questions from" in run.stderr
    assert "Fewer than the 5,000 asked for: the graph has no more than" in run.stderr


def test_a_file_that_is_there_is_kept_and_nothing_is_paid(
    sample: CommandLine, llm_server: LLMServer, tmp_path: Path
) -> None:
    file = tmp_path / "made.json"
    file.write_text("mine", encoding="utf-8")
    run = sample.run(
        "evaluate", "--make-questions", "2", "--output", str(file), status=1, HIPPORAG_LLM_MODEL="scripted"
    )
    assert "isn't overwritten" in run.stderr
    assert file.read_text(encoding="utf-8") == "mine"
    assert llm_server.chats == []


def test_no_usable_question_is_a_failure(sample: CommandLine, llm_server: LLMServer, tmp_path: Path) -> None:
    llm_server.respond = lambda request: '{"question": "", "answer": ""}'
    file = tmp_path / "made.json"
    run = sample.run(
        "evaluate", "--make-questions", "1", "--output", str(file), status=1, HIPPORAG_LLM_MODEL="scripted"
    )
    assert "Dropped 5: the model found no good question (5)." in run.stderr
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give a question file, or make one"),
        (["--make-questions", "3"], "--output FILE"),
        (["--output", "x.json"], "--make-questions N"),
        (["questions.json", "--make-questions", "3", "--output", "x.json"], "Leave one of the two out"),
        (["--make-questions", "3", "--output", "x.csv"], "must end in .json"),
        (["--make-questions", "0", "--output", "x.json"], "greater than or equal to 1"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(line: CommandLine, arguments: list[str], said: str) -> None:
    run = line.run("evaluate", *arguments, status=2)
    assert said in " ".join(run.stderr.replace("│", " ").split())


def test_without_a_model_the_error_says_what_to_set(sample: CommandLine, tmp_path: Path) -> None:
    run = sample.run("evaluate", "--make-questions", "1", "--output", str(tmp_path / "made.json"), status=1)
    assert "HIPPORAG_LLM_MODEL" in run.stderr
