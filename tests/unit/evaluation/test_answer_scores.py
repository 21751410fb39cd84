"""Exact match and F1 by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.evaluation.answer_scores import comparable_answer, exact_match, f1


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("The Eiffel Tower.", "eiffel tower"),
        ("  a\tman,  an\nape ", "man ape"),
        ("Theatre of Athens", "theatre of athens"),  # no article, though it begins like one
        ("U.S.A.", "usa"),
        ("Jean-Luc", "jeanluc"),
        ("3.5 %", "35"),
        ("Südhof", "südhof"),
        ("The", ""),
    ],
)
def test_the_form_in_which_answers_are_compared(text: str, compared: str) -> None:
    assert comparable_answer(text) == compared


def test_exact_match_against_the_answer_and_its_aliases() -> None:
    assert exact_match("the Beatles!", ["Beatles"]) == 1
    assert exact_match("The Fab Four", ["Beatles", "fab four"]) == 1
    assert exact_match("The Beatles of Liverpool", ["Beatles"]) == 0


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("Thomas Südhof", ["Thomas C. Südhof"], 2 * 2 / (2 + 3)),  # precision 1, recall 2/3
        ("Rome, Italy", ["Italy"], 2 / 3),  # precision 1/2, recall 1
        ("Paris", ["Rome"], 0),
        ("New York New York", ["New York"], 2 * 2 / (4 + 2)),  # a word counts as often as it occurs
        ("the city of Rome", ["Rome", "city of Rome"], 1),  # the best of the right ones
        ("A", ["the"], 1),  # nothing is left on either side
        ("A", ["Rome"], 0),
    ],
)
def test_f1(answer: str, right: list[str], expected: float) -> None:
    assert f1(answer, right) == pytest.approx(expected)


@given(st.text(), st.lists(st.text(), min_size=1, max_size=3))
def test_f1_lies_between_exact_match_and_one(answer: str, right: list[str]) -> None:
    assert exact_match(answer, right) <= f1(answer, right) <= 1


def test_nothing_to_compare_with() -> None:
    for score in (exact_match, f1):
        with pytest.raises(ValueError, match="right one"):
            score("Rome", [])
