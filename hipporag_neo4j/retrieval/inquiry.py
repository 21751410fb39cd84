"""What all modes are given: a question, where and how it is asked, and the clock of its stages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import Allowed
from hipporag_neo4j.filters import EVERYTHING, Filter
from hipporag_neo4j.projection import Shape, Weights
from hipporag_neo4j.projection_catalogue import DEFAULT_MEGABYTES
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.timing import Stages


@dataclass(frozen=True, slots=True)
class Walk:
    """Parameters of personalized PageRank.

    `damping` is the probability to follow an edge, 1 - the paper's restart probability; the walk ends after
    `iterations`, or when no node changes more than `tolerance` (seeds and scores sum to 1). Phrases that hold at most
    `minimum` after the walk don't count: rows that cost time and change no rank that anybody looks at. One thread
    (`concurrency`) is deterministic, and faster on graphs of this size.
    """

    damping: float = 0.5
    iterations: int = 20
    tolerance: float = 1e-7
    minimum: float = 1e-6
    concurrency: int = 1


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk that ranked passages: over which projection's `shape`, from which seeds (weights by key, all of which sum
    to 1), and the `version` of the graph that it showed."""

    shape: Shape
    phrases: Mapping[str, float]
    passages: Mapping[str, float] = field(default_factory=dict)
    version: int = 0


class Overtaken(Exception):
    """Another version of the graph was published, so that what was found before doesn't belong to it."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to a graph, of which the `limit` best passages are wanted among those that `where` allows.

    `entities` are given ones, None where they are to be found; `hybrid` looks at facts at most `looks` times. `allowed`
    counts the passages that a filter allows, once that is known.
    Projections may take so many `megabytes` together; `walked` collects the walks, in their order.
    `repeated`: where another version of the graph is published meanwhile, the whole search is.
    """

    sources: Sources
    graph: Graph
    question: str
    limit: int = 10
    entities: Sequence[str] | None = None
    looks: int = 1
    where: Filter = EVERYTHING
    allowed: Allowed | None = None
    walk: Walk = field(default_factory=Walk)
    weights: Weights = field(default_factory=Weights)
    megabytes: int = DEFAULT_MEGABYTES
    walked: list[Walked] = field(default_factory=list)
    repeated: bool = False
    stages: Stages = field(default_factory=Stages)

    async def run(self, statement: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement, on the graph's namespace and of what the filter allows."""
        if self.where:
            parameters["where"] = self.where
        return await self.sources.run(statement, namespace=self.graph.namespace, **parameters)


@dataclass(frozen=True, slots=True)
class Trace:
    """What a result was found by, for who wants to explain it: the graph as it was then, the walk that ranked (None:
    none did), and what was asked for."""

    graph: Graph
    walked: Walked | None
    walk: Walk
    weights: Weights
    where: Filter
    limit: int
    megabytes: int
