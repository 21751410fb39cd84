"""What a namespace's graph holds."""

import json
from dataclasses import dataclass
from typing import Any

from hipporag_neo4j.database import Database
from hipporag_neo4j.schema import Graph


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a namespace's graph; `unlinked` phrases still lack synonyms, `states` counts passages by state."""

    graph: Graph
    passages: int
    phrases: int
    facts: int
    mentions: int
    synonyms: int
    malformed_triples: int
    dropped_triples: int
    truncated_passages: int
    passages_without_facts: int
    unlinked: int
    states: dict[str, int]

    @property
    def interrupted(self) -> bool:
        """Whether an indexing run was cut off: run it again and it goes on from there."""
        return self.graph.version != self.graph.published or self.unlinked > 0


def read_status(database: Database, graph: Graph) -> Status:
    """Count what the graph holds; time grows with its size (about a second for 16,000 phrases)."""
    by_state = database.run("status/count_passages", namespace=graph.namespace)
    phrases = database.run("status/count_phrases", namespace=graph.namespace)[0]
    facts = database.run("status/count_facts", namespace=graph.namespace)[0]
    return Status(
        graph=graph,
        passages=sum(row["passages"] for row in by_state),
        phrases=phrases["phrases"],
        facts=facts["facts"],
        mentions=sum(row["mentions"] for row in by_state),
        synonyms=phrases["synonyms"],
        malformed_triples=sum(row["malformed"] for row in by_state),
        dropped_triples=sum(row["dropped"] for row in by_state),
        truncated_passages=sum(row["truncated"] for row in by_state),
        passages_without_facts=sum(row["without_facts"] for row in by_state),
        unlinked=phrases["unlinked"],
        states={row["status"]: row["passages"] for row in by_state},
    )


@dataclass(frozen=True, slots=True)
class MalformedTriple:
    """What was meant as a triple and doesn't have exactly three parts: as it was found, and in which passage."""

    passage: str
    title: str
    row: int | None
    triple: Any


@dataclass(frozen=True, slots=True)
class FailedPassage:
    """A passage the language model could not read, and why."""

    passage: str
    title: str
    error: str


def list_malformed(database: Database, namespace: str, limit: int) -> tuple[MalformedTriple, ...]:
    """The first `limit` malformed triples of a namespace, in the order of the passages in their file."""
    rows = database.run("status/list_malformed", namespace=namespace, limit=limit)
    return tuple(MalformedTriple(row["id"], row["title"], row["row"], json.loads(row["triple"])) for row in rows)


def list_failed(database: Database, namespace: str, limit: int) -> tuple[FailedPassage, ...]:
    """The first `limit` passages of a namespace that could not be read."""
    rows = database.run("status/list_failed", namespace=namespace, limit=limit)
    return tuple(FailedPassage(row["id"], row["title"], row["error"]) for row in rows)
