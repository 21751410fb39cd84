"""Recorded decisions: found by question, joined from several files, refused where they contradict each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.query_decisions import Decision, read_decisions
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question, read_questions

ENTRY = {
    "id": "q1",
    "question": "Who?",
    "named_entities": ["Ada"],
    "candidate_facts": [["ada", "wrote", "notes"], ["ada", "met", "charles"]],
    "relevant_facts": [["ada", "wrote", "notes"]],
}


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def question(text: str) -> Question:
    return Question("any", text, (GoldPassage(id="a"),))


def test_all_that_was_decided_is_kept(tmp_path: Path) -> None:
    decisions = read_decisions([write(tmp_path / "d.json", [ENTRY])])
    assert decisions.find(question(" Who?\n")) == Decision(
        question="Who?",
        id="q1",
        named_entities=("Ada",),
        candidate_facts=(("ada", "wrote", "notes"), ("ada", "met", "charles")),
        relevant_facts=(("ada", "wrote", "notes"),),
    )


def test_another_wording_is_another_question(tmp_path: Path) -> None:
    decisions = read_decisions([write(tmp_path / "d.json", [ENTRY])])
    assert decisions.find(Question("q1", "Who else?", (GoldPassage(id="a"),))) is None


def test_nothing_found_differs_from_nothing_recorded(tmp_path: Path) -> None:
    entries = [{"question": "A?", "named_entities": []}, {"question": "B?", "relevant_facts": []}]
    decisions = read_decisions([write(tmp_path / "d.json", entries)])
    a, b = decisions.find(question("A?")), decisions.find(question("B?"))
    assert a is not None
    assert b is not None
    assert (a.named_entities, a.relevant_facts) == ((), None)
    assert (b.named_entities, b.relevant_facts) == (None, ())


@pytest.mark.parametrize("content", [[], {"decisions": []}])
def test_a_file_without_decisions_is_refused(tmp_path: Path, content: Any) -> None:
    paths = [write(tmp_path / "full.json", [ENTRY]), write(tmp_path / "empty.json", content)]
    with pytest.raises(InputError, match=r"empty\.json holds no decisions"):
        read_decisions(paths)


def test_files_add_up(tmp_path: Path) -> None:
    other = {**ENTRY, "question": "Where?"}
    paths = [write(tmp_path / "1.json", [ENTRY]), write(tmp_path / "2.json", [other, ENTRY])]
    decisions = read_decisions(paths)
    assert decisions.find(question("Who?"))
    assert decisions.find(question("Where?"))


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "1.json", [ENTRY]),
        write(tmp_path / "2.json", [{**ENTRY, "named_entities": ["Charles"]}]),
    ]
    with pytest.raises(
        InputError, match=r"2\.json, entry 1 .*another decision about the question 'Who\?' than in .*1\."
    ):
        read_decisions(paths)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("Who?", "a recorded decision was expected, and a str found"),
        ({"named_entities": ["Ada"]}, "the field 'question' can't be used"),
        ({"question": "Who?"}, "nothing is decided"),
        ({"question": "Who?", "named_entities": "Ada"}, "the field 'named_entities' can't be used"),
        ({"question": "Who?", "relevant_facts": [["a", "b"]]}, r"the field 'relevant_facts\.0\.2' can't be used"),
    ],
)
def test_what_can_not_be_used_is_named(tmp_path: Path, entry: Any, message: str) -> None:
    with pytest.raises(InputError, match=rf"d\.json, entry 2 \(line 1\): {message}"):
        read_decisions([write(tmp_path / "d.json", [ENTRY, entry])])


def test_the_real_decisions(shared_data: Path) -> None:
    folder = shared_data / "musique_train"
    decisions = read_decisions([folder / "recorded_llm_query_decisions.json"])
    found = [decisions.find(question) for question in read_questions(folder / "questions.json")]
    assert len(found) == 100
    assert all(decision is not None and decision.named_entities for decision in found)
    assert sum(len(decision.relevant_facts or ()) for decision in found if decision) == 209
