"""Metadata of another type than declared: what counts, by hand."""

from typing import Any

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.indexing.mistyped_metadata import Mistyped, count_mistyped


def identified(id_: str, **metadata: Any) -> IdentifiedPassage:
    return IdentifiedPassage(id_, "hash", ExtractedPassage(Passage("text", metadata=metadata), Extraction()))


def test_what_a_filter_never_allows_is_counted_and_named() -> None:
    found: dict[str, Mistyped] = {}
    passages = [
        identified("1", year=2020, team="x", score=1, open=True),
        identified("2", year="2020", team=7, score=0.5, open=1),
        identified("3", year=True, score="high", open=False),
        identified("4", year=2020.5, team=["x", "y"], other={}),
        identified("5"),
    ]
    count_mistyped(found, passages, {"year": "int", "team": "string", "score": "float", "open": "bool"})
    assert found == {
        "year": Mistyped("int", 3, ["2", "3", "4"]),
        "team": Mistyped("string", 2, ["2", "4"]),
        "open": Mistyped("bool", 1, ["2"]),
        "score": Mistyped("float", 1, ["3"]),
    }
    count_mistyped(found, [identified(f"n{n}", team=n) for n in range(9)], {"team": "string"})
    assert found["team"] == Mistyped("string", 11, ["2", "4", "n0", "n1", "n2"])


def test_nothing_is_declared() -> None:
    found: dict[str, Mistyped] = {}
    count_mistyped(found, [identified("1", year="2020")], {})
    assert found == {}
