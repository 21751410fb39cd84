"""What a person sees of an answer while it is written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.answering.shapes import QuestionAnswer
from hipporag_neo4j.answering.show_answer import NOT_HELD, ONCE_MORE, ShownAnswer, text_for_people
from hipporag_neo4j.answers import read_answer

WHOLE = '{"explanation": "Ada lived in Lund [1].", "answer": "Lund", "passages": [1]}'
SHOWN = "Ada lived in Lund [1].\n\nAnswer: Lund"


def show(raw: str, size: int = 3, *, finish: bool = True) -> list[str]:
    pieces: list[str] = []
    shown = ShownAnswer(pieces.append)
    shown.begin()
    for start in range(0, len(raw), size):
        shown.hear(raw[start : start + size])
    if finish:
        shown.finish(read_answer(raw, QuestionAnswer))
    return pieces


def test_the_explanation_comes_as_it_is_written_and_the_answer_after_it() -> None:
    pieces = show(WHOLE)
    assert "".join(pieces) == SHOWN
    assert len(pieces) > 6
    assert "".join(show(WHOLE, finish=False)) == "Ada lived in Lund [1]."


@pytest.mark.parametrize(
    "raw",
    [
        f"Sure, here it is:\n```json\n{WHOLE}\n```\nAnything else?",
        f"<think>Is it {{\"answer\": 1}}? No, {{'a'}}</think>\n{WHOLE}",
        f"thinking aloud </think>{WHOLE}",
        '{\n  "explanation": "Ada lived\nin Lund [1].",\n  "answer": "Lund",\n  "passages": [1]\n}',
        '{"answer": "Lund", "passages": [1], "explanation": "Ada lived in Lund [1]."}',
        '{"explanation": "Ada lived in Lund [1].", "answer": "Lund", "passages": [1',
        "{'explanation': 'Ada lived in Lund [1].', 'answer': 'Lund', 'passages': [1]}",
    ],
)
def test_wrappings_and_broken_json_are_not_shown(raw: str) -> None:
    assert " ".join("".join(show(raw)).split()) == " ".join(SHOWN.split())


def test_a_long_answer_comes_as_it_is_written_too() -> None:
    answer = "First take the tram to the harbour, then walk along the quay until the lighthouse is "
    answer += "to your left, and ask there for the keeper, who has the key to the observatory and lets you in."
    raw = json.dumps({"explanation": "Both say so [1].", "answer": answer, "passages": [1]})
    pieces = show(raw)
    assert "".join(pieces) == f"Both say so [1].\n\nAnswer: {answer}"
    assert max(map(len, pieces)) < 100


@pytest.mark.parametrize("said", ["null", '"not in the passages"', '"The answer is not stated in the passages."'])
def test_no_answer_is_said_plainly(said: str) -> None:
    raw = f'{{"explanation": "No passage names a comet.", "answer": {said}, "passages": []}}'
    assert "".join(show(raw)) == f"No passage names a comet.\n\n{NOT_HELD}"
    assert "".join(show(f'{{"explanation": "", "answer": {said}, "passages": []}}')) == NOT_HELD


def test_an_example_that_was_repeated_is_followed_by_the_answer() -> None:
    raw = f'{{"explanation": "It fell.", "answer": "comet", "passages": [1]}}\nNow yours:\n{WHOLE}'
    assert "".join(show(raw)) == f"It fell.\n\n{SHOWN}"


def test_a_second_attempt_is_announced_only_when_the_first_was_seen() -> None:
    pieces: list[str] = []
    shown = ShownAnswer(pieces.append)
    shown.begin()
    shown.hear("I can't say.")
    before = shown.shown
    shown.begin()
    shown.hear('{"explanation": "Ada')
    assert (before, shown.shown) == (False, True)
    shown.begin()
    shown.hear(WHOLE)
    shown.finish(read_answer(WHOLE, QuestionAnswer))
    assert "".join(pieces) == f"Ada{ONCE_MORE}{SHOWN}"


@given(st.text(), st.none() | st.text(), st.integers(1, 9), st.booleans())
def test_joined_pieces_are_the_text(explanation: str, answer: str | None, size: int, ascii_only: bool) -> None:
    value = {"explanation": explanation, "answer": answer, "passages": [1]}
    raw = json.dumps(value, ensure_ascii=ascii_only)
    joined = "".join(show(raw, size))
    assert "".join(joined.split()) == "".join(text_for_people(read_answer(raw, QuestionAnswer)).split())
