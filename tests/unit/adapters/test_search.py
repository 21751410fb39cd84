"""A retriever's filter and that of a call hold together."""

import pytest

from hipporag_neo4j.adapters.search import both
from hipporag_neo4j.errors import InputError


def test_both_hold() -> None:
    assert both(None, None) is None
    assert both({"a": 1}, None) == both(None, {"a": 1}) == {"a": 1}
    assert both({"a": 1}, {"b": {">": 2}}) == {"a": 1, "b": {">": 2}}


def test_two_on_the_same_name_are_refused() -> None:
    with pytest.raises(InputError, match="a filter on 'a', and the question gives another"):
        both({"a": 1}, {"a": 1})


@pytest.mark.parametrize(("one", "other"), [("team=x", {"a": 1}), ({"a": 1}, [("b", 1)])])
def test_what_is_no_filter_is_refused(one: object, other: object) -> None:
    with pytest.raises(InputError, match="Give names with values"):
        both(one, other)  # type: ignore[arg-type]  # on purpose
