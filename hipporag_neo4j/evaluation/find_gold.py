"""Which passages of the graph are the gold passages of a test set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hipporag_neo4j.database import Database
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question
from hipporag_neo4j.filters import EVERYTHING, Filter


@dataclass(frozen=True, slots=True)
class FoundGold:
    """For each gold passage the ids in the graph that count as it; the empty set: the graph doesn't hold
    it, or the filter `where` doesn't allow it."""

    ids: Mapping[GoldPassage, frozenset[str]]
    where: str = ""

    def of(self, question: Question) -> tuple[frozenset[str], ...]:
        """The ids of each of a question's gold passages, in order."""
        return tuple(self.ids[gold] for gold in question.gold)

    def missing(self, question: Question) -> tuple[GoldPassage, ...]:
        """A question's gold passages that the graph doesn't hold."""
        return tuple(gold for gold in question.gold if not self.ids[gold])


def find_gold(
    database: Database, namespace: str, questions: Sequence[Question], where: Filter = EVERYTHING
) -> FoundGold:
    """Find the gold passages of all questions in a namespace, with one statement.

    By id: the passage of that id, else the parts of the document of that id. By title and text: passages equal in both,
    white space aside, else by title alone. By title alone: the one passage with that title, or the parts of the one
    document with that title; where several have it, none is taken.
    """
    gold = list(dict.fromkeys(passage for question in questions for passage in question.gold))
    rows = database.run(
        "evaluation/find_gold_passages",
        where=where,
        namespace=namespace,
        ids=sorted({passage.id for passage in gold if passage.id is not None}),
        titles=sorted({passage.title for passage in gold if passage.id is None}),
    )
    return FoundGold(match_gold(gold, rows), str(where))


def match_gold(gold: Sequence[GoldPassage], rows: Sequence[Mapping[str, Any]]) -> dict[GoldPassage, frozenset[str]]:
    """The ids that count as each gold passage, among rows of `id`, `title`, `text` and `document` (str or None)."""
    by_id: dict[str, set[str]] = {}
    by_document: dict[str, set[str]] = {}
    by_text: dict[tuple[str, str], set[str]] = {}
    by_title: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_id.setdefault(row["id"], set()).add(row["id"])
        if row["document"] is not None:
            by_document.setdefault(row["document"], set()).add(row["id"])
        by_text.setdefault((row["title"], _squeezed(row["text"])), set()).add(row["id"])
        by_title.setdefault(row["title"], []).append(row)
    found = {}
    for passage in gold:
        if passage.id is not None:
            ids = by_id.get(passage.id) or by_document.get(passage.id)
        else:
            same = by_text.get((passage.title, _squeezed(passage.text))) if passage.text is not None else None
            ids = same or _only_one(by_title.get(passage.title, []))
        found[passage] = frozenset(ids or ())
    return found


def _only_one(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """The ids of the rows if they are one passage or the parts of one document, else none."""
    wholes = {(row["document"] is not None, row["document"] or row["id"]) for row in rows}
    return {row["id"] for row in rows} if len(wholes) == 1 else set()


def _squeezed(text: str) -> str:
    """Without white space: corpora differ in how they join sentences."""
    return "".join(text.split())
