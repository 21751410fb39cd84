"""Candidate facts: those nearest to a question, and those around what is known already."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hipporag_neo4j.domain import Fact
from hipporag_neo4j.retrieval.allow import search
from hipporag_neo4j.retrieval.inquiry import Inquiry

if TYPE_CHECKING:
    from neo4j.vector import Vector

_OVER_FETCHED = 10
_FETCHED_AT_LEAST = 300
"""Facts taken from the index before the exact scoring: so many times the wanted ones, and at least these."""


@dataclass(frozen=True, slots=True)
class End:
    """A phrase at one end of a fact; `passages` mention it."""

    key: str
    phrase: str
    passages: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact with what is needed to make seeds of its ends."""

    key: str
    fact: Fact
    subject: End
    object: End

    @property
    def ends(self) -> tuple[End, End]:
        """Subject and object."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class Nearest:
    """The facts nearest to a question, best first, and the `lowest` cosine that any fact of the graph has."""

    candidates: tuple[Candidate, ...]
    lowest: float

    def scale(self, score: float) -> float:
        """Min-max over all facts: 1 for the nearest fact, 0 for the farthest; 1 where all are equally near."""
        highest = self.candidates[0].fact.score
        if highest <= self.lowest:
            return 1.0
        return min(1.0, max(0.0, (score - self.lowest) / (highest - self.lowest)))


async def find_nearest(inquiry: Inquiry, vector: "Vector", negated: "Vector", limit: int) -> Nearest:
    """The `limit` facts nearest to a question."""
    rows = await search(
        inquiry,
        ("retrieval/find_facts", {"embedding": vector, "negated": negated, "limit": limit}),
        ("retrieval/find_allowed_facts", {"embedding": vector, "limit": limit}),
        fetch=max(_OVER_FETCHED * limit, _FETCHED_AT_LEAST),
        enough=lambda rows: bool(rows) and rows[0]["lowest"] is not None,
    )
    return Nearest(tuple(_candidate(row) for row in rows), rows[0]["lowest"] if rows else 0.0)


async def find_around_phrases(
    inquiry: Inquiry, vector: "Vector", phrases: Collection[str], shown: Collection[str], limit: int
) -> tuple[Candidate, ...]:
    """Facts that touch the phrases (keys) or their synonyms, nearest to the question first, none of those `shown`."""
    return await _find_unshown(
        inquiry, "retrieval/find_facts_of_phrases", vector, shown, limit, phrases=sorted(phrases)
    )


async def find_in_passages(
    inquiry: Inquiry, vector: "Vector", passages: Sequence[str], shown: Collection[str], limit: int
) -> tuple[Candidate, ...]:
    """Facts that the passages (ids) state, nearest to the question first, none of those `shown`."""
    return await _find_unshown(
        inquiry, "retrieval/find_facts_of_passages", vector, shown, limit, passages=list(passages)
    )


async def _find_unshown(
    inquiry: Inquiry,
    statement: str,
    vector: "Vector",
    shown: Collection[str],
    limit: int,
    **around: Sequence[str],
) -> tuple[Candidate, ...]:
    """What the statement finds around these keys; nothing is asked where there is none, or nothing is wanted."""
    if limit <= 0 or not all(around.values()):
        return ()
    rows = await inquiry.run(statement, embedding=vector, shown=sorted(shown), limit=limit, **around)
    return tuple(_candidate(row) for row in rows)


def _candidate(row: Mapping[str, Any]) -> Candidate:
    return Candidate(
        row["key"],
        Fact(row["subject"], row["predicate"], row["object"], row["score"]),
        End(row["subject_key"], row["subject"], row["subject_passages"]),
        End(row["object_key"], row["object"], row["object_passages"]),
    )
