"""Why passages were found, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hipporag_neo4j.domain import RankedPassage, RetrievalResult

EdgeKind = Literal["fact", "synonym", "mention"]
NodeKind = Literal["phrase", "passage"]


@dataclass(frozen=True, slots=True)
class Share:
    """What one seed gives to a passage's score.

    `seed` is a phrase, None for all passages together that are seeds since they are like the question. `weight` is its
    part of the restart probability; `contribution` has the score's unit, and `share` is its part of the score, 0 to 1.
    """

    seed: str | None
    weight: float
    contribution: float
    share: float


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of a passage; `guessed`, since the graph keeps which passage states a fact, not in which words."""

    passage: str
    title: str
    sentence: str
    guessed: bool = True


@dataclass(frozen=True, slots=True)
class PathNode:
    """A phrase, whose `id` is its name, or a passage, whose name is its title, if it has one."""

    kind: NodeKind
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PathEdge:
    """An edge from one node of a path to the next.

    `says` is the predicate of a fact, the cosine of a synonym, the count of a mention. A fact that is `reversed` has
    the next node for its subject. `stated` is where a fact or a mention comes from.
    """

    kind: EdgeKind
    says: str
    reversed: bool = False
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """How a seed, the first of n nodes, and a passage, the last, hang together over n - 1 edges: of the shortest paths
    the one that a walker takes most likely, and that `probability`: the product of weight / all weight at each node on
    the way. None with a filter, or with the projection weights `paper`, where it would be another one."""

    nodes: tuple[PathNode, ...]
    edges: tuple[PathEdge, ...]
    probability: float | None


@dataclass(frozen=True, slots=True)
class ExplainedPassage:
    """A passage, and why it is in its place: shares, the largest first, which add up to its score; a path from each
    main seed; its ranks, from 1, by similarity and by words, None beyond the first `Explanation.compared`."""

    passage: RankedPassage
    shares: tuple[Share, ...]
    paths: tuple[Path, ...]
    dense_rank: int | None
    bm25_rank: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why each passage was found for a question.

    `passages` are ranked by a walk to its end (200 iterations), so that shares are exact; in close places their order
    may differ from the `result`'s. `reason` says, in one sentence, why no walk explains them, else None. `compared` is
    how many passages dense search and BM25 were asked for. `stale`: the graph was written to meanwhile. `statement`,
    with its `parameters`, draws them in Neo4j Browser.
    """

    result: RetrievalResult
    passages: tuple[ExplainedPassage, ...]
    reason: str | None = None
    compared: int = 0
    stale: bool = False
    statement: str = ""
    parameters: Mapping[str, str | list[str]] = field(default_factory=dict)
