"""Which rows of the graph count as a gold passage."""

from typing import Any

import pytest

from hipporag_neo4j.evaluation.find_gold import match_gold
from hipporag_neo4j.evaluation.read_questions import GoldPassage


def row(id_: str, title: str = "", text: str = "text", document: str | None = None) -> dict[str, Any]:
    return {"id": id_, "title": title, "text": text, "document": document}


ROWS = [
    row("a", "One", "First text."),
    row("b", "One", "Second text."),
    row("c", "Two", "Only text."),
    row("d#1", "Three", "Begin", document="d"),
    row("d#2", "Three", "end.", document="d"),
    row("e", "Four", "Same."),
    row("f", "Four", "Same."),
]


@pytest.mark.parametrize(
    ("gold", "ids"),
    [
        (GoldPassage(id="a"), {"a"}),
        (GoldPassage(id="z"), set()),
        (GoldPassage(id="d"), {"d#1", "d#2"}),
        (GoldPassage(id="d#2"), {"d#2"}),
        (GoldPassage(title="One", text="Second text."), {"b"}),
        (GoldPassage(title="One", text="  Second  text .\n"), {"b"}),
        # No such text: the title is taken where only one passage, or one document, has it.
        (GoldPassage(title="One", text="Third text."), set()),
        (GoldPassage(title="Two", text="Other text."), {"c"}),
        (GoldPassage(title="Three", text="Begin end."), {"d#1", "d#2"}),
        (GoldPassage(title="Two"), {"c"}),
        (GoldPassage(title="One"), set()),
        (GoldPassage(title="Nine"), set()),
        # Twice in the graph under two ids: either is as good.
        (GoldPassage(title="Four", text="Same."), {"e", "f"}),
    ],
)
def test_matching(gold: GoldPassage, ids: set[str]) -> None:
    assert match_gold([gold], ROWS) == {gold: ids}


def test_a_passage_and_a_document_of_one_name_are_two() -> None:
    rows = [row("x", "One"), row("x#1", "One", document="x")]
    assert match_gold([GoldPassage(title="One")], rows) == {GoldPassage(title="One"): frozenset()}
