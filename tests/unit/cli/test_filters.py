"""Filters as they are typed."""

from typing import Any

import pytest
import typer

from hipporag_neo4j.cli.evaluation_entries import _typed
from hipporag_neo4j.cli.filters import parse_where


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ([], None),
        (None, None),
        (["team=x"], {"team": "x"}),
        (["year>=2020", "year < 2024", "team=x y"], {"year": {">=": 2020, "<": 2024}, "team": "x y"}),
        (["year=2020"], {"year": 2020}),
        (['year="2020"'], {"year": "2020"}),
        (["open=true", "ratio<=.5", "ratio>0.25"], {"open": True, "ratio": {"<=": ".5", ">": 0.25}}),
        (["team="], {"team": ""}),
        (["team=a=b"], {"team": "a=b"}),
        (['team="=x"'], {"team": "=x"}),
        (["a b=null"], {"a b": "null"}),
        (["year=1", "year<2"], {"year": {"=": 1, "<": 2}}),
        (["year=[1, 2]"], {"year": [1, 2]}),
    ],
)
def test_what_is_typed_becomes_a_filter(typed: Any, meant: Any) -> None:
    assert parse_where(typed) == meant


@pytest.mark.parametrize(
    "typed", [["year"], [""], ["=x"], ["year!=2"], ["year==2"], ["year=>2"], ["year<>2"], ["year>1", "year>2"]]
)
def test_what_is_no_condition_is_wrong_usage(typed: list[str]) -> None:
    with pytest.raises(typer.BadParameter):
        parse_where(typed)


def test_a_filter_is_written_as_it_would_be_typed() -> None:
    where = {"year": {">=": 2020, "<": 2024}, "team": 'x "y"', "open": True}
    typed = list(_typed(where))
    assert typed[:2] == ["--where", "year>=2020"]
    assert parse_where(typed[1::2]) == where
    assert list(_typed(None)) == []
