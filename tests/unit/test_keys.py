"""Keys: the same in every process, different for what is different."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.keys import fact_key, passage_key, phrase_key, search_scope

NAMESPACES = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


def test_a_namespace_makes_every_key_another() -> None:
    assert passage_key("a", "1") != passage_key("b", "1")
    assert phrase_key("a", "turing") != phrase_key("b", "turing")
    assert fact_key("a", "x", "y", "z") != fact_key("b", "x", "y", "z")


def test_a_fact_is_told_by_all_its_parts() -> None:
    keys = {fact_key("n", *parts) for parts in itertools.product(("", "a", "b"), repeat=3)}
    assert len(keys) == 27


@given(NAMESPACES)
def test_a_scope_is_one_term_of_any_analyser(namespace: str) -> None:
    scope = search_scope(namespace)
    assert re.fullmatch("[a-z0-9]+", scope)
    assert len(scope) < 255  # where Lucene's standard tokenizer cuts


@given(NAMESPACES, NAMESPACES)
def test_two_namespaces_have_two_scopes(one: str, other: str) -> None:
    assert (search_scope(one) == search_scope(other)) == (one == other)
