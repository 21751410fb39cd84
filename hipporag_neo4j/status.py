"""What a namespace's graph holds."""

import json
from dataclasses import dataclass, field
from typing import Any

from hipporag_neo4j.database import Database
from hipporag_neo4j.runs import Run, list_runs
from hipporag_neo4j.schema import Graph

_REASONS = 3
_RUNS = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the language model could not read so many passages."""

    error: str
    passages: int


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a namespace's graph; `states` counts passages by state: `written` ones, and `failed` ones, for the most
    frequent `reasons`. A passage is written with all that it says and all vectors at once, so no other state lasts:
    what a source holds that isn't written, `HippoRAG.compare` tells.

    Left for the next run: `unlinked` phrases lack synonyms, `unmentioned` ones are of passages that are gone or not
    written yet, `emptied` passages are deleted but for their nodes. `runs` are the latest, the last one first.
    """

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
    unmentioned: int
    emptied: int
    states: dict[str, int]
    reasons: tuple[Reason, ...]
    runs: tuple[Run, ...] = field(compare=False)

    @property
    def interrupted(self) -> bool:
        """Whether something is left to do, by a run that goes on or by the next one: it goes on from there."""
        left = self.unlinked + self.unmentioned + self.emptied
        return self.graph.version != self.graph.published or left > 0

    @property
    def running(self) -> tuple[Run, ...]:
        """The runs that go on, as far as anybody knows: they were heard of within the last minute."""
        return tuple(run for run in self.runs if run.state == "running")


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
        unmentioned=database.run("indexing/count_orphans", namespace=graph.namespace)[0]["phrases"],
        emptied=database.run("indexing/count_deleted", namespace=graph.namespace)[0]["passages"],
        states={row["status"]: row["passages"] for row in by_state},
        reasons=tuple(
            Reason(**row) for row in database.run("status/count_failed", namespace=graph.namespace, limit=_REASONS)
        ),
        runs=list_runs(database, graph.namespace, _RUNS),
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
