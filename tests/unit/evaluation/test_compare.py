"""Two entries paired by question, by hand."""

from collections.abc import Sequence

import pytest

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import Entry
from hipporag_neo4j.evaluation.compare import compare, pairs_of
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question
from hipporag_neo4j.evaluation.sampling import Sampling
from hipporag_neo4j.evaluation.summarise import ModeResult, summarise


def result(name: str, scores: Sequence[float]) -> ModeResult:
    outcomes = [
        Outcome(
            Question(str(number), f"Question {number}?", (GoldPassage(id="a"),)),
            RetrievalResult(f"Question {number}?", "dense", ()),
            {"recall@5": score},
            (),
        )
        for number, score in enumerate(scores, start=1)
    ]
    return summarise(Entry(name, "dense"), outcomes, Sampling())


def test_wins_ties_and_losses_by_hand() -> None:
    comparison = compare(result("new", [1, 1, 0.5, 0, 0.5]), result("old", [0.5, 0, 0.5, 0.25, 0.5]), Sampling())
    assert (comparison.first, comparison.second, comparison.score) == ("new", "old", "recall@5")
    assert [(pair.first.question.id, pair.difference) for pair in comparison.won] == [("2", 1.0), ("1", 0.5)]
    assert [(pair.second.question.id, pair.difference) for pair in comparison.lost] == [("4", -0.25)]
    assert comparison.ties == 2
    assert comparison.mean_difference == pytest.approx((0.5 + 1 - 0.25) / 5)
    # |±.5 ± 1 ± .25| >= 1.25 for 4 of 8 choices of signs.
    assert comparison.p_value == pytest.approx(4 / 8)
    assert comparison.interval.low < 0.25 < comparison.interval.high


def test_the_other_way_round_everything_turns() -> None:
    one, other = result("a", [1, 0.5, 0]), result("b", [0, 0.5, 0.25])
    there, back = compare(one, other, Sampling()), compare(other, one, Sampling())
    assert [pair.first.question.id for pair in there.won] == [pair.first.question.id for pair in back.lost]
    assert back.mean_difference == -there.mean_difference
    assert back.p_value == there.p_value


def test_an_entry_against_itself_is_no_evidence() -> None:
    one = result("a", [1, 0.5, 0])
    comparison = compare(one, one, Sampling())
    assert (comparison.ties, comparison.mean_difference, comparison.p_value) == (3, 0, 1)
    assert (comparison.interval.low, comparison.interval.high) == (0, 0)


def test_the_first_is_compared_with_the_others_unless_pairs_are_named() -> None:
    names = ["hybrid", "dense", "bm25"]
    assert pairs_of(names) == (("hybrid", "dense"), ("hybrid", "bm25"))
    assert pairs_of(["hybrid"]) == ()
    assert pairs_of(names, ["bm25:dense", "bm25:dense"]) == (("bm25", "dense"),)


@pytest.mark.parametrize("wanted", ["hybrid", "hybrid:", ":", "hybrid:hybrid", "hybrid:hipporag2", "a:b:c"])
def test_a_pair_that_is_none_is_refused(wanted: str) -> None:
    with pytest.raises(InputError, match="FIRST:SECOND, two of hybrid, dense"):
        pairs_of(["hybrid", "dense"], [wanted])
