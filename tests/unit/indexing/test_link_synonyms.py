"""Synonym pairs against brute force, across block borders, and the guard against a threshold that joins everything."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.indexing import link_synonyms
from hipporag_neo4j.indexing.link_synonyms import Pairs, find_pairs

NEAR = 1e-5
"""Cosines this near to the threshold depend on the order of additions."""


def vectors_of(seed: int, phrases: int, dimensions: int = 6) -> NDArray[np.float32]:
    """Random vectors of several lengths; a few directions repeat."""
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((phrases, dimensions)).astype(np.float32)
    for row in range(phrases // 4):
        vectors[random.integers(phrases)] = 3 * vectors[row] + random.standard_normal(dimensions) / 10
    return vectors


def as_dict(pairs: Pairs) -> dict[tuple[int, int], float]:
    found = {
        (int(one), int(other)): float(score)
        for one, other, score in zip(pairs.first, pairs.second, pairs.score, strict=True)
    }
    assert len(found) == len(pairs), "a pair came twice"
    return found


def by_brute_force(
    vectors: NDArray[np.float32], new: int, short: NDArray[np.bool_], threshold: float
) -> dict[tuple[int, int], float]:
    exact = vectors.astype(np.float64)
    found = {}
    for i, j in itertools.combinations(range(len(exact)), 2):
        cosine = float(exact[i] @ exact[j] / np.linalg.norm(exact[i]) / np.linalg.norm(exact[j]))
        if i < new and cosine >= threshold and not (short[i] and short[j]):
            found[i, j] = cosine
    return found


@given(
    seed=st.integers(0, 2**32 - 1),
    phrases=st.integers(1, 40),
    share=st.floats(0, 1),
    threshold=st.sampled_from([0.3, 0.6, 0.8, 0.95]),
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
)
def test_pairs_are_those_of_brute_force(
    seed: int, phrases: int, share: float, threshold: float, rows: int, columns: int
) -> None:
    vectors = vectors_of(seed, phrases)
    new = round(share * phrases)
    short = np.random.default_rng(seed + 1).random(phrases) < 0.3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_synonyms, "_BLOCK_ROWS", rows)
        patch.setattr(link_synonyms, "_BLOCK_COLUMNS", columns)
        found = as_dict(find_pairs(vectors, new=new, short=short, threshold=threshold))
    sure = by_brute_force(vectors, new, short, threshold + NEAR)
    possible = by_brute_force(vectors, new, short, threshold - NEAR)
    assert set(sure) <= set(found) <= set(possible)
    for pair, score in found.items():
        assert score == pytest.approx(possible[pair], abs=NEAR)


def test_a_short_phrase_looks_for_none_but_may_be_found() -> None:
    vectors = np.ones((3, 2), dtype=np.float32)
    pairs = find_pairs(vectors, new=3, short=np.array([True, True, False]), threshold=0.8)
    assert set(as_dict(pairs)) == {(0, 2), (1, 2)}


def test_old_phrases_are_not_compared_with_each_other() -> None:
    vectors = np.ones((4, 2), dtype=np.float32)
    pairs = find_pairs(vectors, new=1, short=np.zeros(4, dtype=bool), threshold=0.8)
    assert set(as_dict(pairs)) == {(0, 1), (0, 2), (0, 3)}


def test_nothing_new_is_nothing_found() -> None:
    assert len(find_pairs(np.ones((4, 2), dtype=np.float32), new=0, short=np.zeros(4, dtype=bool), threshold=0.8)) == 0


def test_a_threshold_that_joins_too_many_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a second block is looked at: the pairs of a whole graph would not fit in memory."""
    monkeypatch.setattr(link_synonyms, "_BLOCK_ROWS", 100)
    monkeypatch.setattr(link_synonyms, "_BLOCK_COLUMNS", 100)
    seen: list[int] = []
    with pytest.raises(ConfigurationError, match=r"At the synonym threshold 0\.8 at least \d+ pairs of 400 phrases"):
        find_pairs(
            np.ones((400, 2), dtype=np.float32),
            new=400,
            short=np.zeros(400, dtype=bool),
            threshold=0.8,
            progress=lambda done, total: seen.append(done),
        )
    assert seen == []


def test_progress_goes_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_synonyms, "_BLOCK_ROWS", 4)
    seen: list[tuple[int, int]] = []
    find_pairs(
        vectors_of(0, 12),
        new=10,
        short=np.zeros(12, dtype=bool),
        threshold=0.9,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(4, 10), (8, 10), (10, 10)]


@given(rows=st.integers(0, 12), begin=st.integers(0, 12), length=st.integers(0, 12), block=st.integers(1, 5))
def test_rows_are_taken_out_in_place(rows: int, begin: int, length: int, block: int) -> None:
    vectors = np.arange(2.0 * rows, dtype=np.float32).reshape(rows, 2)
    begin = min(begin, rows)
    end = min(begin + length, rows)
    expected = np.delete(vectors, range(begin, end), axis=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_synonyms, "_BLOCK_ROWS", block)
        left = link_synonyms._without_rows(vectors, begin, end)
    assert np.array_equal(left, expected)
    assert np.shares_memory(left, vectors) or not left.size
