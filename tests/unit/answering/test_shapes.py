"""What models write as an answer or a thought, read into one shape, or refused."""

import pytest

from hipporag_neo4j.answering.shapes import QuestionAnswer, ThoughtAnswer, text_of
from hipporag_neo4j.answers import read_answer, strict_schema
from hipporag_neo4j.errors import UnreadableAnswerError


@pytest.mark.parametrize(
    ("raw", "answer", "passages"),
    [
        ('{"explanation": "e", "answer": "Lund", "passages": [1, 3]}', "Lund", (1, 3)),
        ('{"explanation": "e", "answer": "Lund", "passages": ["1", "[3]", "passage 3", 1]}', "Lund", (1, 3)),
        ('{"explanation": "e", "answer": "Lund", "passages": 2}', "Lund", (2,)),
        ('{"explanation": "e", "answer": "Lund"}', "Lund", ()),
        ('{"Explanation": "e", "Answer": " Lund\\n", "Passages": []}', "Lund", ()),
        ('{"result": {"explanation": "e", "answer": "Lund", "passages": [1]}}', "Lund", (1,)),
        ('[{"explanation": "e", "answer": "Lund", "passages": [1]}]', "Lund", (1,)),
        ('{"explanation": "e", "answer": 1926, "passages": [1]}', "1926", (1,)),
        ('{"explanation": "e", "answer": false, "passages": [1]}', "no", (1,)),
        ('{"explanation": "e", "answer": ["Lund", "Malmö"], "passages": [1]}', "Lund, Malmö", (1,)),
        ('Sure!\n```json\n{"explanation": "e", "answer": "Lund", "passages": [1]}\n```', "Lund", (1,)),
        ('<think>{"answer": "Malmö"}</think>{"explanation": "e", "answer": "Lund", "passages": [1]}', "Lund", (1,)),
        ('{"explanation": "e", "answer": null, "passages": []}', None, ()),
        ('{"explanation": "e", "answer": "", "passages": []}', None, ()),
        ('{"explanation": "e", "answer": "N/A", "passages": []}', None, ()),
        ('{"explanation": "e", "answer": "null"}', None, ()),
        ('{"explanation": "e", "answer": "Not in the passages.", "passages": [1, 2]}', None, (1, 2)),
        ('{"explanation": "e", "answer": "The answer is not stated in the given passages", "passages": []}', None, ()),
        ('{"explanation": "e", "answer": "none", "passages": [2]}', "none", (2,)),
        ('{"explanation": "e", "answer": "…", "passages": [2]}', None, (2,)),
        ('{"explanation": "В пассаже", "answer": "Лунд", "passages": [1]}', "Лунд", (1,)),
        ('{"explanation": "e", "answer": "not in Lund", "passages": [1]}', "not in Lund", (1,)),
    ],
)
def test_an_answer_is_read(raw: str, answer: str | None, passages: tuple[int, ...]) -> None:
    read = read_answer(raw, QuestionAnswer)
    assert (read.answer, read.passages) == (answer, passages)
    assert read.unreadable == 0


def test_what_is_no_number_is_counted() -> None:
    read = read_answer('{"explanation": "e", "answer": "Lund", "passages": [1, "first", {}]}', QuestionAnswer)
    assert (read.passages, read.unreadable) == ((1,), 2)


def test_paragraphs_stay_and_control_characters_do_not() -> None:
    assert text_of(" one\x1b[31m \r\n\n two\t\ud83d") == "one [31m\ntwo �"


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ("Lund, I think.", "no JSON"),
        ('{"explanation": "The passages tell of Lund."}', "holds no answer"),
        ('{"named_entities": ["Lund"]}', "holds no answer"),
        ('["Lund"]', "holds no answer"),
        ('{"explanation": "e", "answer": "Lun', "cut off in its answer"),
        ('{"explanation": "The passages te', "holds no answer"),
        ("", "empty"),
    ],
)
def test_what_is_none_is_refused(raw: str, complaint: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=complaint):
        read_answer(raw, QuestionAnswer, truncated=True)


def test_of_a_cut_answer_the_last_number_is_not_trusted() -> None:
    raw = '{"explanation": "e", "answer": "Lund", "passages": [3, 1'
    read = read_answer(raw, QuestionAnswer, truncated=True)
    assert (read.answer, read.passages) == ("Lund", (3,))


@pytest.mark.parametrize(
    ("raw", "thought", "answer"),
    [
        ('{"thought": "Where was Ada born?", "answer": null}', "Where was Ada born?", None),
        ('{"thought": "Where was Ada born?"}', "Where was Ada born?", None),
        ('{"thought": "Ada was born in Lund.", "answer": "Lund"}', "Ada was born in Lund.", "Lund"),
        ('{"thought": "", "answer": "Lund"}', "", "Lund"),
        ('{"thought": "Where?", "answer": "unknown"}', "Where?", None),
    ],
)
def test_a_thought_is_read(raw: str, thought: str, answer: str | None) -> None:
    read = read_answer(raw, ThoughtAnswer)
    assert (read.thought, read.answer) == (thought, answer)


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ('{"thought": "", "answer": null}', "neither a thought nor an answer"),
        ('{"answer": "Lund"}', "holds no thought"),
        ('{"thought": "Where was Ad', "cut off in its thought"),
    ],
)
def test_what_is_no_thought_is_refused(raw: str, complaint: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=complaint):
        read_answer(raw, ThoughtAnswer, truncated=True)


def test_the_schema_asks_for_the_explanation_first() -> None:
    """Constrained models write in this order, and an answer that comes after its reasons is better."""
    schema = strict_schema(QuestionAnswer)["schema"]
    assert list(schema["properties"]) == schema["required"] == ["explanation", "answer", "passages"]
    assert schema["properties"]["answer"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert list(strict_schema(ThoughtAnswer)["schema"]["properties"]) == ["thought", "answer"]
