"""Verdicts: what was measured on MuSiQue is fine, and each threshold is one."""

import pytest

from hipporag_neo4j.inspection.judge import RULES, percentage

MUSIQUE = {
    "passages without facts": (2, 1890),
    "passages that failed": (0, 1890),
    "facts stated, of words": (17204, 143909),
    "malformed triples": (185, 17389),
    "named entities without a fact": (5775, 17658),
    "phrases of one passage only": (14808, 16235),
    "phrases without a synonym": (11338, 16235),
    "phrases of no passage": (0, 16235),
    "nodes in the largest component": (17237, 18125),
}


@pytest.mark.parametrize("name", RULES)
def test_musique_is_fine(name: str) -> None:
    measure = RULES[name].judge(name, *MUSIQUE[name])
    assert (measure.verdict, measure.advice) == ("fine", None)
    assert measure.says


@pytest.mark.parametrize(
    ("name", "count", "of", "verdict"),
    [
        ("passages without facts", 3, 100, "fine"),
        ("passages without facts", 4, 100, "look"),
        ("passages that failed", 1, 1000, "repair"),
        ("facts stated, of words", 5, 100, "look"),
        ("facts stated, of words", 6, 100, "fine"),
        ("facts stated, of words", 26, 100, "look"),
        ("malformed triples", 6, 100, "look"),
        ("named entities without a fact", 51, 100, "look"),
        ("phrases of one passage only", 97, 100, "look"),
        ("phrases without a synonym", 44, 100, "look"),
        ("phrases without a synonym", 91, 100, "look"),
        ("phrases of no passage", 1, 100, "repair"),
        ("nodes in the largest component", 79, 100, "look"),
        ("nodes in the largest component", 80, 100, "fine"),
    ],
)
def test_thresholds(name: str, count: int, of: int, verdict: str) -> None:
    measure = RULES[name].judge(name, count, of)
    assert measure.verdict == verdict
    assert (measure.advice is None) == (verdict == "fine")


def test_of_nothing_there_is_nothing_to_say() -> None:
    measure = RULES["facts stated, of words"].judge("facts stated, of words", 0, 0)
    assert (measure.verdict, measure.share) == ("fine", None)


def test_what_is_said() -> None:
    assert RULES["passages without facts"].judge("x", 31, 1890).says == "31 of 1,890 passages have no fact (1.6 %)"
    assert RULES["facts stated, of words"].judge("x", 17204, 143909).says.startswith("12.0 facts per 100 words (17,204")


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 %"),
        (0.016, "1.6 %"),
        (0.0004, "0.04 %"),
        (0.00001, "less than 0.01 %"),
        (0.33, "33 %"),
        (0.9996, "99.96 %"),
        (0.999999, "more than 99.99 %"),
        (1.0, "100 %"),
    ],
)
def test_percentages(share: float, said: str) -> None:
    assert percentage(share) == said
