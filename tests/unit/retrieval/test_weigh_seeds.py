"""Restart weights, by the paper's worked case and by what they promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.domain import Fact
from hipporag_neo4j.retrieval.weigh_seeds import (
    KeptFact,
    LinkedPhrase,
    NamedPhrase,
    add_named,
    min_max,
    share_out,
    weigh_by_facts,
    weigh_by_specificity,
)


def linked(phrase: str, passages: int, *, entity: str | None = None, similarity: float = 1.0) -> LinkedPhrase:
    return LinkedPhrase(f"key of {phrase}", phrase, entity or phrase, similarity, passages)


def test_the_worked_case_of_the_paper() -> None:
    """Alzheimer's in 20 passages, Stanford in 5: .5 x .05 and .5 x .2, renormalised."""
    seeds = weigh_by_specificity([linked("alzheimer s", 20), linked("stanford", 5)])
    assert seeds["key of alzheimer s"].weight == pytest.approx(0.2)
    assert seeds["key of stanford"].weight == pytest.approx(0.8)


def test_two_entities_on_one_phrase_do_not_add_up_and_the_nearer_is_named() -> None:
    seeds = weigh_by_specificity(
        [
            linked("stanford", 5, entity="stanford uni", similarity=0.9),
            linked("stanford", 5, entity="stanford", similarity=1.0),
            linked("stanford", 5, entity="leland stanford", similarity=0.8),
            linked("alzheimer s", 5),
        ]
    )
    assert {seed.phrase: seed.weight for seed in seeds.values()} == {"stanford": 0.5, "alzheimer s": 0.5}
    assert seeds["key of stanford"].entity == "stanford"
    assert seeds["key of stanford"].similarity == 1.0


def test_nothing_linked_is_no_seed() -> None:
    assert weigh_by_specificity([]) == {}


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10**6)), min_size=1, max_size=30))
def test_weights_sum_to_one_and_fall_with_the_passages(phrases: list[tuple[int, int]]) -> None:
    passages = dict(phrases)
    seeds = weigh_by_specificity([linked(str(name), number) for name, number in passages.items()])
    assert sum(seed.weight for seed in seeds.values()) == pytest.approx(1)
    assert all(seed.weight > 0 for seed in seeds.values())
    by_passages = sorted(passages, key=passages.__getitem__)
    weights = [seeds[f"key of {name}"].weight for name in by_passages]
    assert weights == sorted(weights, reverse=True)


def kept(subject: str, object_: str, score: float, *, passages: tuple[int, int] = (1, 1)) -> KeptFact:
    ends = ((f"key of {subject}", subject, passages[0]), (f"key of {object_}", object_, passages[1]))
    return KeptFact(Fact(subject, "r", object_, score), score, ends)


def test_a_phrase_of_facts_weighs_the_mean_of_score_by_passages() -> None:
    """ada: mean of 1 / 2 and 0.5 / 2; bob: 1 / 4; cleo: 0.5."""
    seeds = weigh_by_facts([kept("ada", "bob", 1.0, passages=(2, 4)), kept("ada", "cleo", 0.5, passages=(2, 1))], 5)
    assert {seed.phrase: seed.weight for seed in seeds.values()} == {"ada": 0.375, "cleo": 0.5, "bob": 0.25}
    ada = seeds["key of ada"]
    assert (ada.entity, ada.similarity, [fact.object for fact in ada.facts]) == (None, 1.0, ["bob", "cleo"])


def test_only_the_heaviest_phrases_are_seeds_and_ties_go_by_name() -> None:
    facts = [kept("b", "a", 0.5), kept("c", "d", 1.0)]
    assert list(weigh_by_facts(facts, 3)) == ["key of c", "key of d", "key of a"]


def test_a_fact_between_a_phrase_and_itself_counts_once_and_a_worthless_one_not_at_all() -> None:
    assert weigh_by_facts([kept("a", "a", 0.5)], 5)["key of a"].facts == (Fact("a", "r", "a", 0.5),)
    assert weigh_by_facts([kept("a", "b", 0.0)], 5) == {}


def test_of_a_phrase_that_is_named_and_in_a_fact_the_larger_weight_counts() -> None:
    seeds = weigh_by_facts([kept("ada", "bob", 0.4)], 5)
    named = [NamedPhrase("key of ada", "ada", "Ada", 1), NamedPhrase("key of cleo", "cleo", "Cleo", 5)]
    joined = add_named(seeds, named, 0.5)
    assert {seed.phrase: seed.weight for seed in joined.values()} == {"ada": 0.5, "bob": 0.4, "cleo": 0.1}
    assert joined["key of ada"].entity == "Ada"
    assert joined["key of ada"].facts == seeds["key of ada"].facts
    assert add_named(seeds, named[:1], 0.2)["key of ada"].weight == 0.4
    assert add_named({}, named, 0.0) == {}


@given(st.dictionaries(st.text(), st.floats(-1, 1), min_size=1), st.floats(-1, 1))
def test_min_max_is_from_0_to_1_whatever_the_scores(scores: dict[str, float], lowest: float) -> None:
    scaled = min_max(scores, lowest)
    assert scaled.keys() == scores.keys()
    assert all(0 <= value <= 1 for value in scaled.values())
    assert max(scaled.values()) == 1


def test_equal_scores_are_all_1_and_none_are_none() -> None:
    assert min_max({"a": 0.3, "b": 0.3}, 0.3) == {"a": 1.0, "b": 1.0}
    assert min_max({}, 0.0) == {}


def test_all_shares_sum_to_one() -> None:
    seeds = share_out(weigh_by_facts([kept("a", "b", 1.0)], 5), {"p": 0.5, "q": 1.5})
    assert {key: seed.weight for key, seed in seeds.phrases.items()} == {"key of a": 0.25, "key of b": 0.25}
    assert seeds.passages == {"p": 0.125, "q": 0.375}
