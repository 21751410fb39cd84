"""Which lines `evaluate` gives its table."""

from collections.abc import Sequence

import pytest

from hipporag_neo4j.cli.evaluation_entries import choose_lines, entry_names
from hipporag_neo4j.domain import Mode
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.variants import VARIANTS

OF_HIPPORAG2 = ["ner-to-node", "query-to-node", "no-passage-nodes", "no-filter"]


def names(
    modes: Sequence[Mode] | None, *variants: str, all_variants: bool = False, no_llm: bool = False, ircot: bool = False
) -> list[str]:
    return entry_names(choose_lines(modes, variants, all_variants=all_variants, no_llm=no_llm), ircot=ircot)


def test_hybrid_and_dense_unless_something_is_given() -> None:
    assert names(None) == ["hybrid", "dense"]
    assert names(None, no_llm=True) == ["hybrid/no-llm", "dense"]
    assert names(["bm25", "hipporag1"]) == ["bm25", "hipporag1"]


def test_a_variant_stands_behind_its_mode() -> None:
    assert names(None, "hipporag1/no-synonyms") == ["hipporag1", "hipporag1/no-synonyms"]
    assert names(["dense"], "hipporag1/no-synonyms") == ["dense", "hipporag1/no-synonyms"]
    assert names(["hipporag1", "dense"], "hipporag1/seeds-only", "hipporag1/seeds-only") == [
        "hipporag1", "hipporag1/seeds-only", "dense"
    ]  # fmt: skip


def test_all_variants_are_those_of_the_modes_given() -> None:
    assert names(["hipporag2"], all_variants=True) == ["hipporag2", *(f"hipporag2/{name}" for name in OF_HIPPORAG2)]
    every = names(None, all_variants=True)
    assert set(every) == set(VARIANTS) | {"hipporag1", "hipporag2", "hybrid"}
    assert len(every) == len(set(every))


def test_without_a_language_model_hybrid_stands_once() -> None:
    assert names(["dense", "hybrid"], "hybrid/no-llm", no_llm=True) == ["dense", "hybrid/no-llm"]


def test_thoughts_are_searched_in_modes_alone() -> None:
    assert names(["hipporag2"], "hipporag2/no-filter", ircot=True) == [
        "hipporag2", "hipporag2+ircot", "hipporag2/no-filter"
    ]  # fmt: skip


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InputError, match="no variant 'nonsense'"):
        names(None, "nonsense")
