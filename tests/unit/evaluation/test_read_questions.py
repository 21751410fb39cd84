"""Question files: four formats, recognised by their fields; what can't be used is named with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question, read_questions

MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Who?",
    "answer": "Ada",
    "answer_aliases": ["Ada L."],
    "answerable": True,
    "question_decomposition": [{"id": 1}],
    "paragraphs": [
        {"idx": 0, "title": "One", "paragraph_text": "First.", "is_supporting": True},
        {"idx": 1, "title": "Two", "paragraph_text": "Second.", "is_supporting": False},
        {"idx": 2, "title": "One", "paragraph_text": "Another.", "is_supporting": True},
        {"idx": 3, "title": "One", "paragraph_text": "First.", "is_supporting": True},
    ],
}
HOTPOT = {
    "_id": "5a8b",
    "question": "Which?",
    "answer": "yes",
    "type": "bridge",
    "level": "hard",
    "context": [["One", ["It is.", " It was."]], ["Two", ["No."]], ["Two", ["Twice."]]],
    "supporting_facts": [["One", 0], ["One", 1], ["Two", 0], ["Absent", 3]],
}
TWO_WIKI = {
    "_id": "8813",
    "question": "When?",
    "answer": "1900",
    "type": "compositional",
    "context": [["One", ["It is.", "It was."]]],
    "supporting_facts": [["One", 1]],
    "evidences": [["One", "born", "1900"]],
}
OWN = {"id": 7, "question": "What?", "gold": ["a", "b", "a"], "entities": ["Ada"], "kind": "two-hop"}


def write(folder: Path, content: Any, name: str = "questions.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_musique(tmp_path: Path) -> None:
    assert read_questions(write(tmp_path, [MUSIQUE])) == (
        Question(
            id="2hop__1_2",
            question="Who?",
            gold=(GoldPassage(title="One", text="First."), GoldPassage(title="One", text="Another.")),
            answer="Ada",
            answer_aliases=("Ada L.",),
        ),
    )


def test_hotpotqa_joins_sentences_as_they_are(tmp_path: Path) -> None:
    (question,) = read_questions(write(tmp_path, [HOTPOT]))
    assert question.id == "5a8b"
    assert question.gold == (
        GoldPassage(title="One", text="It is. It was."),
        GoldPassage(title="Two"),  # two texts under one title: the title alone is known
        GoldPassage(title="Absent"),
    )


def test_2wiki_joins_sentences_by_spaces(tmp_path: Path) -> None:
    (question,) = read_questions(write(tmp_path, [TWO_WIKI]))
    assert question.gold == (GoldPassage(title="One", text="It is. It was."),)


def test_own_format(tmp_path: Path) -> None:
    without = {"id": "x", "question": "Why?", "gold": ["a"]}
    none = {**without, "id": "y", "entities": []}
    first, second, third = read_questions(write(tmp_path, [OWN, without, none]))
    assert first == Question("7", "What?", (GoldPassage(id="a"), GoldPassage(id="b")), entities=("Ada",))
    assert second.entities is None
    assert third.entities == ()


def test_json_lines_and_an_object_around_the_list(tmp_path: Path) -> None:
    lines = write(tmp_path, f"{json.dumps(MUSIQUE)}\n\n{json.dumps(OWN)}\n", "questions.jsonl")
    wrapped = write(tmp_path, {"version": 1, "data": [MUSIQUE, OWN]})
    assert read_questions(lines) == read_questions(wrapped)
    assert len(read_questions(lines)) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            [OWN, {"id": "x", "text": "What?"}],
            r"entry 2 \(line 1\): no known format has the fields id, text\. A question",
        ),
        ([OWN, "What?"], r"entry 2 .*a question was expected, and a str found"),
        ([{**OWN, "question": " "}], r"entry 1 .*the question is empty"),
        ([{**OWN, "question": None}], r"entry 1 .*the field 'question' can't be used"),
        ([{**OWN, "gold": []}], r"entry 1 .*no gold passage"),
        ([{**OWN, "gold": [1]}], r"entry 1 .*the field 'gold\.0' can't be used"),
        ([{**MUSIQUE, "paragraphs": [{"title": "One"}]}], r"the field 'paragraphs\.0\.paragraph_text' can't be used"),
        ([{**HOTPOT, "context": [["One"]]}], r"the field 'context\.0\.1' can't be used"),
        ([], "holds no questions"),
        ({"version": 1}, r"'questions' or 'data'.* Found: 'version'"),
        ("[{]", "line 1, column 3: not JSON"),
        ("", "is empty"),
    ],
)
def test_what_can_not_be_used_is_named(tmp_path: Path, content: Any, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=message) as raised:
        read_questions(path)
    assert str(path) in str(raised.value)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, f"{json.dumps(OWN)}\n{{nope\n", "questions.jsonl")
    with pytest.raises(InputError, match=r"questions\.jsonl, line 2, column 2: not JSON"):
        read_questions(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="doesn't exist"):
        read_questions(tmp_path / "absent.json")


def test_the_real_questions(shared_data: Path) -> None:
    questions = read_questions(shared_data / "musique_train" / "questions.json")
    corpus = json.loads((shared_data / "musique_train" / "corpus.json").read_text(encoding="utf-8"))
    passages = {(passage["title"], passage["text"]) for passage in corpus}
    assert len(questions) == 100
    assert {len(question.gold) for question in questions} == {2, 3, 4}
    assert all((gold.title, gold.text) in passages for question in questions for gold in question.gold)


def test_two_questions_with_one_id_are_refused_with_both_places(tmp_path: Path) -> None:
    entries = [OWN, {**OWN, "id": 8}, {**OWN, "id": "7", "question": "Another?"}]
    with pytest.raises(InputError, match=r"entry 3 .*'7'.*entry 1 .*count twice"):
        read_questions(write(tmp_path, entries))


def test_a_question_of_a_language_model_is_known_as_such(tmp_path: Path) -> None:
    entries = [OWN, {**OWN, "id": 8, "synthetic": True}]
    assert [question.synthetic for question in read_questions(write(tmp_path, entries))] == [False, True]


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "\ud800"},
        {"question": "Who \ud800?"},
        {"gold": ["\ud800"]},
        {"answer": "\ud800"},
        {"entities": ["\ud800"]},
    ],
)
def test_half_a_surrogate_pair_is_refused_with_its_place(tmp_path: Path, broken: dict[str, Any]) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([{"id": "1", "question": "Who?", "gold": ["a"], **broken}]), encoding="utf-8")
    with pytest.raises(InputError, match=r"entry 1 \(line 1\): .* holds half a surrogate pair at character"):
        read_questions(path)
