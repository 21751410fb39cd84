"""Restart weights, by the paper's worked case and by what they promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.retrieval.weigh_seeds import LinkedPhrase, weigh_by_specificity


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
