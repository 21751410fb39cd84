"""Recall and percentiles: by hand, and what holds for any input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.evaluation.measures import all_recall_at, mean, percentile, recall_at

RANKING = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("gold", "k", "recall", "all_recall"),
    [
        ([{"a"}], 1, 1.0, 1.0),
        ([{"b"}], 1, 0.0, 0.0),
        ([{"a"}, {"c"}], 2, 0.5, 0.0),
        ([{"a"}, {"c"}], 3, 1.0, 1.0),
        ([{"a"}, {"x"}, {"c"}, {"f"}], 5, 0.5, 0.0),
        ([{"f"}], 100, 1.0, 1.0),
        # A document in parts is found with any of them, and counts once.
        ([{"a", "b"}, {"x"}], 2, 0.5, 0.0),
        # What the graph doesn't hold can't be found.
        ([{"a"}, set()], 6, 0.5, 0.0),
    ],
)
def test_recall_by_hand(gold: list[set[str]], k: int, recall: float, all_recall: float) -> None:
    assert recall_at(RANKING, gold, k) == recall
    assert all_recall_at(RANKING, gold, k) == all_recall


def test_nothing_ranked_finds_nothing() -> None:
    assert recall_at([], [{"a"}], 5) == 0


def test_without_gold_recall_is_not_defined() -> None:
    with pytest.raises(ValueError, match="at least one gold passage"):
        recall_at(RANKING, [], 5)
    with pytest.raises(ValueError, match="recall@0"):
        recall_at(RANKING, [{"a"}], 0)


IDS = st.sampled_from("abcdefghij")


@given(ranking=st.lists(IDS, unique=True), gold=st.lists(st.sets(IDS, max_size=3), min_size=1), k=st.integers(1, 12))
def test_recall_is_a_share_that_grows_with_k(ranking: list[str], gold: list[set[str]], k: int) -> None:
    here, further = recall_at(ranking, gold, k), recall_at(ranking, gold, k + 1)
    assert 0 <= here <= further <= 1
    assert all_recall_at(ranking, gold, k) == (here == 1)
    assert recall_at(ranking, gold[::-1], k) == here


@given(gold=st.sets(IDS, min_size=1), k=st.integers(1, 12))
def test_the_best_ranking_finds_all_that_fits(gold: set[str], k: int) -> None:
    assert recall_at(sorted(gold), [{g} for g in gold], k) == pytest.approx(min(k, len(gold)) / len(gold))


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([7.0], 0.95, 7.0),
        ([3.0, 1.0, 2.0], 0.5, 2.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.5),
        ([0.0, 10.0], 0.95, 9.5),
        # 0 to 100: the value at place 95 of 100.
        ([float(n) for n in range(101)], 0.95, 95.0),
        ([1.0, 2.0, 3.0], 0.0, 1.0),
        ([1.0, 2.0, 3.0], 1.0, 3.0),
    ],
)
def test_percentile_by_hand(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == pytest.approx(expected)


@pytest.mark.parametrize(("values", "share"), [([], 0.5), ([1.0], -0.1), ([1.0], 1.1)])
def test_no_percentile(values: list[float], share: float) -> None:
    with pytest.raises(ValueError, match=r"percentile|share"):
        percentile(values, share)


FIGURES = st.lists(st.floats(-1e6, 1e6), min_size=1)


@given(values=FIGURES, low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_percentile_lies_among_the_values_and_grows_with_the_share(
    values: list[float], low: float, high: float
) -> None:
    low, high = sorted((low, high))
    assert min(values) <= percentile(values, low) <= max(values)
    assert percentile(values, low) <= percentile(values, high) + 1e-6


def test_mean() -> None:
    assert mean([1.0, 2.0, 6.0]) == 3
    with pytest.raises(ValueError, match="no values"):
        mean([])
