"""Several rankings as one, by hand."""

import pytest

from hipporag_neo4j.answering.merge_passages import merge_passages
from hipporag_neo4j.domain import RankedPassage, RetrievalResult


def found(fallback: str | None = None, /, **scores: float) -> RetrievalResult:
    passages = tuple(RankedPassage(id_, "", id_, score) for id_, score in scores.items())
    return RetrievalResult("?", "hybrid", passages, fallback=fallback)


def test_each_counts_by_its_best_score_within_its_search() -> None:
    # 0.4 and 0.2 are 1 and 0.5 of the first search; 30, 24 and 6 are 1, 0.8 and 0.2 of the second.
    merged = merge_passages([found(a=0.4, b=0.2), found(c=30.0, b=24.0, a=6.0)])
    assert [(p.id, p.score) for p in merged] == [("a", 1.0), ("c", 1.0), ("b", pytest.approx(0.8))]


def test_equal_ones_stay_in_the_order_they_were_found_in() -> None:
    assert [p.id for p in merge_passages([found(z=2.0), found(y=5.0), found(a=1.0)])] == ["z", "y", "a"]


def test_dense_search_in_the_place_of_a_walk_does_not_push_the_walks_passages_out() -> None:
    merged = merge_passages([found(a=0.05, b=0.02), found("No seed.", c=0.41, d=0.40, e=0.38)])
    # 1 and 0.4 of the walk; (0.41 - 0.38) / 0.03, (0.40 - 0.38) / 0.03 and 0 of the cosines.
    assert [p.id for p in merged] == ["a", "c", "d", "b", "e"]
    assert [p.score for p in merged] == pytest.approx([1, 1, 2 / 3, 0.4, 0])
    assert [p.score for p in merge_passages([found("No seed.", a=0.4, b=0.4)])] == [1, 1]


def test_one_search_keeps_its_order_whatever_its_scores() -> None:
    assert [p.id for p in merge_passages([found(b=-0.1, a=-0.2)])] == ["b", "a"]
    assert [p.id for p in merge_passages([found(b=0.0, a=0.0)])] == ["b", "a"]
    assert merge_passages([found()]) == ()
