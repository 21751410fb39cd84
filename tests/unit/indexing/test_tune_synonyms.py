"""What thresholds join: by hand on four phrases, and against networks of plain Python on random ones."""

import itertools

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.indexing.link_synonyms import Pairs, Phrases, find_pairs
from hipporag_neo4j.indexing.tune_synonyms import NearPhrases, SamplePair, judge_thresholds, pairs_from
from hipporag_neo4j.schema import Graph

GRAPH = Graph("n", "m", 2, "unicode", 0.8, 1, 1, 1)


def near_of(cosines: dict[tuple[int, int], float], phrases: int, lowest: float = 0.1) -> NearPhrases:
    """Pairs with made-up cosines, the nearest first; phrase number 3 is called `d`."""
    ordered = sorted(cosines.items(), key=lambda pair: -pair[1])
    names = [chr(ord("a") + number) for number in range(phrases)]
    return NearPhrases(
        GRAPH,
        Phrases(names, names, np.zeros((phrases, 2), dtype=np.float32), phrases),
        Pairs(
            np.array([one for (one, _), _ in ordered], dtype=np.int64),
            np.array([other for (_, other), _ in ordered], dtype=np.int64),
            np.array([cosine for _, cosine in ordered], dtype=np.float32),
        ),
        lowest,
    )


def test_by_hand() -> None:
    """a-b .9, c-d .8, b-c .7, d-e .6: two pairs that the third one joins to one group of four."""
    near = near_of({(0, 1): 0.9, (2, 3): 0.8, (1, 2): 0.7, (3, 4): 0.6}, phrases=6)
    low, middle, high, none = judge_thresholds(near, [0.95, 0.8, 0.75, 0.65], samples=1)
    assert (low.threshold, low.pairs, low.phrases_joined, low.largest_component) == (0.65, 3, 4, 4)
    assert (middle.threshold, middle.pairs, middle.phrases_joined, middle.largest_component) == (0.75, 2, 4, 2)
    assert (high.threshold, high.pairs, high.phrases_joined, high.largest_component) == (0.8, 2, 4, 2)
    assert (none.threshold, none.pairs, none.phrases_joined, none.largest_component) == (0.95, 0, 0, 1)
    (above,), (below,) = middle.above, middle.below
    assert (above.first, above.second, below.first, below.second) == ("c", "d", "b", "c")
    assert above.cosine == pytest.approx(0.8)
    assert below.cosine == pytest.approx(0.7)
    assert none.above == ()
    assert [pair.second for pair in none.below] == ["b"]


def test_samples_are_the_nearest_first_and_no_more_than_wanted() -> None:
    near = near_of({(0, 1): 0.9, (0, 2): 0.85, (0, 3): 0.82, (0, 4): 0.78, (0, 5): 0.7}, phrases=6)
    (candidate,) = judge_thresholds(near, [0.8], samples=2)
    assert [pair.second for pair in candidate.above] == ["d", "c"]
    assert [pair.second for pair in candidate.below] == ["e", "f"]
    (candidate,) = judge_thresholds(near, [0.8], samples=0)
    assert (candidate.above, candidate.below) == ((), ())
    (candidate,) = judge_thresholds(near, [0.8], samples=10)
    assert (len(candidate.above), len(candidate.below)) == (3, 2)


def test_a_cosine_rounded_above_one_is_shown_as_one() -> None:
    (candidate,) = judge_thresholds(near_of({(0, 1): 1.0000002}, phrases=2), [1.0], samples=1)
    assert candidate.above == (SamplePair("a", "b", 1.0),)


def test_what_lies_below_the_lowest_that_was_looked_for_is_not_known() -> None:
    low, high = judge_thresholds(near_of({(0, 1): 0.9}, phrases=2, lowest=0.8), [0.7, 0.8], samples=3)
    assert (low.pairs, low.phrases_joined, low.largest_component, low.above, low.below) == (None, None, None, (), ())
    assert high.pairs == 1


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.6, 0.7, 0.8, 0.85, 0.9])
def test_a_cosine_that_is_the_threshold_counts_as_when_phrases_are_linked(threshold: float) -> None:
    """Compared as float32, which for some thresholds is less than the same number as float64."""
    vectors = np.array([[1, 0], [np.float32(threshold), np.sqrt(1 - threshold**2)]], dtype=np.float32)
    cosine = float(vectors[0] @ vectors[1])
    linked = find_pairs(vectors, new=2, short=np.zeros(2, dtype=bool), threshold=threshold)
    (candidate,) = judge_thresholds(near_of({(0, 1): cosine}, phrases=2), [threshold], samples=0)
    assert candidate.pairs == len(linked)


@given(
    phrases=st.integers(2, 12),
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(0, 1),
    thresholds=st.lists(st.sampled_from([0.2, 0.35, 0.5, 0.65, 0.8, 0.95]), min_size=1, max_size=4),
)
def test_figures_are_those_of_brute_force(phrases: int, seed: int, share: float, thresholds: list[float]) -> None:
    random = np.random.default_rng(seed)
    cosines = {
        pair: round(float(random.uniform(0.1, 1)), 3)
        for pair in itertools.combinations(range(phrases), 2)
        if random.random() < share
    }
    found = judge_thresholds(near_of(cosines, phrases), thresholds, samples=2)
    assert [candidate.threshold for candidate in found] == sorted(set(thresholds))
    for candidate in found:
        joined = [pair for pair, cosine in cosines.items() if np.float32(cosine) >= np.float32(candidate.threshold)]
        groups = igraph.Graph(n=phrases, edges=joined).connected_components()
        assert candidate.pairs == len(joined)
        assert candidate.phrases_joined == len({phrase for pair in joined for phrase in pair})
        assert candidate.largest_component == max(groups.sizes())
        assert len(pairs_from(near_of(cosines, phrases), candidate.threshold)) == len(joined)
        nearest = sorted(cosines[pair] for pair in joined)[:2]
        assert [pair.cosine for pair in candidate.above] == pytest.approx(nearest)
        left = sorted((cosine for pair, cosine in cosines.items() if pair not in joined), reverse=True)[:2]
        assert [pair.cosine for pair in candidate.below] == pytest.approx(left)
