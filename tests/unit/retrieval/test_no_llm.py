"""What is looked for in a question without a language model, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.domain import Fact
from hipporag_neo4j.retrieval.no_llm import MOST_WORDS, longest_first, near_best, word_runs
from hipporag_neo4j.retrieval.weigh_seeds import NamedPhrase


def phrase(name: str) -> NamedPhrase:
    return NamedPhrase(f"key of {name}", name, name, 1)


def test_word_runs_come_longest_first() -> None:
    assert list(word_runs("lake mirr in kord")) == [
        "lake mirr in kord", "lake mirr in", "mirr in kord", "lake mirr", "mirr in", "in kord", "lake", "mirr", "in",
        "kord",
    ]  # fmt: skip
    assert list(word_runs("")) == []


def test_inner_spaces_stay_as_in_the_papers_normalisation() -> None:
    assert list(word_runs("g  stanley hall"))[:2] == ["g  stanley hall", "g  stanley"]


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=30))
def test_no_run_is_longer_than_the_longest_phrase(words: list[str]) -> None:
    runs = list(word_runs(" ".join(words)))
    assert all(1 <= len(run.split()) <= MOST_WORDS for run in runs)
    assert len(runs) == sum(max(0, len(words) - length + 1) for length in range(1, MOST_WORDS + 1))


def test_a_longer_phrase_covers_the_shorter_ones_within_it() -> None:
    known = [phrase(name) for name in ("lake mirr", "mirr in", "mirr", "kord", "elsewhere")]
    found = longest_first("who fished lake mirr in kord", known)
    assert [found_phrase.phrase for found_phrase in found] == ["lake mirr", "kord"]


def test_of_equally_long_ones_the_first_counts_and_a_phrase_comes_once() -> None:
    assert [p.phrase for p in longest_first("a b c", [phrase("b c"), phrase("a b")])] == ["a b"]
    assert [p.phrase for p in longest_first("kord or kord", [phrase("kord")])] == ["kord"]


@pytest.mark.parametrize(("margin", "kept"), [(0.0, (1,)), (0.1, (0, 1)), (0.25, (0, 1, 2)), (2.0, (0, 1, 2, 3))])
def test_facts_near_the_best_are_kept(margin: float, kept: tuple[int, ...]) -> None:
    facts = [Fact("a", "r", "b", score) for score in (0.6875, 0.75, 0.5, -0.5)]
    assert near_best(facts, margin) == kept
    assert near_best([], margin) == ()
