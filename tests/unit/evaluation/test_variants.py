"""Variants are other options, and say which."""

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.variants import VARIANTS, Variant, find_variant, no_synonyms
from hipporag_neo4j.retrieval.retrieve import Options


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_a_variant_changes_its_mode_and_nothing_else(variant: Variant) -> None:
    assert variant.name.startswith(f"{variant.mode}/")
    assert variant.about
    assert variant.change(Options()) != Options()
    assert Options() == Options()


def test_no_two_variants_are_the_same() -> None:
    changed = [variant.change(Options()) for variant in VARIANTS.values()]
    assert all(one != other for i, one in enumerate(changed) for other in changed[:i])


def test_no_synonym_is_in_the_projection_so_that_none_can_replace_a_fact() -> None:
    weights = no_synonyms(Options()).weights
    assert weights.synonym_from is not None
    assert weights.synonym_from > 1  # the highest cosine


def test_an_unknown_variant_is_refused_and_all_are_listed() -> None:
    with pytest.raises(InputError, match=r"no variant 'no-graph'\. Take one of hipporag1/seeds-only, .*hybrid/no-llm"):
        find_variant("no-graph")
