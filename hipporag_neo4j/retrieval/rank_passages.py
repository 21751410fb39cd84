"""The statements that rank: from seeds, vectors or terms to passages, best first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import RankedPassage, Seed
from hipporag_neo4j.errors import QueryError
from hipporag_neo4j.projection import Projection, Shape, Weights, ensure_projection
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.retrieval.weigh_seeds import SeedWeights
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.timing import Stages

_TRIES = 3
_METADATA = "meta_"


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
class Ranking:
    """Passages, best first, and whether writers kept the projection from being exact."""

    passages: tuple[RankedPassage, ...]
    stale: bool


async def rank_by_mentions(
    sources: Sources,
    graph: Graph,
    seeds: Mapping[str, Seed],
    *,
    walk: Walk,
    weights: Weights,
    limit: int,
    stages: Stages,
) -> Ranking:
    """Passages by the mention-weighted sum of their phrases' PageRank (HippoRAG, section 2.3).

    `seeds` by phrase key, not empty.
    """
    parameters = {
        "seeds": [{"key": key, "weight": seed.weight} for key, seed in seeds.items()],
        "minimum": walk.minimum,
        "limit": limit,
    }
    return await _rank(sources, graph, "retrieval/rank_by_mentions", "phrases", parameters, walk, weights, stages)


async def rank_passage_nodes(
    sources: Sources,
    graph: Graph,
    seeds: SeedWeights,
    *,
    walk: Walk,
    weights: Weights,
    limit: int,
    stages: Stages,
) -> Ranking:
    """Passages by their own PageRank in the graph of phrases and passages (HippoRAG 2, section 3.2).

    There must be a seed.
    """
    parameters = {
        "phrases": [{"key": key, "weight": seed.weight} for key, seed in seeds.phrases.items()],
        "passages": [{"key": key, "weight": weight} for key, weight in seeds.passages.items()],
        "limit": limit,
    }
    return await _rank(sources, graph, "retrieval/rank_passage_nodes", "passages", parameters, walk, weights, stages)


async def _rank(
    sources: Sources,
    graph: Graph,
    statement: str,
    shape: Shape,
    parameters: Mapping[str, Any],
    walk: Walk,
    weights: Weights,
    stages: Stages,
) -> Ranking:
    """The ranking over a projection of the published version.

    The statement ranks only if that is the version that was projected; otherwise, or when the projection was dropped
    meanwhile or lacks a seed, it is repeated on a new projection. The last try takes the projection as it is, and the
    ranking says that it is stale.
    """
    tries = 0
    while True:
        tries += 1
        last = tries == _TRIES
        with stages.time("project"):
            projection = await ensure_projection(sources.run, graph.namespace, weights, shape)
        with stages.time("rank"):
            rows = await _try_rank(sources, graph.namespace, statement, projection, parameters, walk, last=last)
            if projection.stale:
                await sources.run("projection/drop_projection", graph=projection.name)
        if rows or last:
            return Ranking(tuple(ranked_passage(row) for row in rows), projection.stale or (last and bool(rows)))


async def _try_rank(
    sources: Sources,
    namespace: str,
    statement: str,
    projection: Projection,
    parameters: Mapping[str, Any],
    walk: Walk,
    *,
    last: bool,
) -> list[Row]:
    """The ranking, empty when the projection is not that of the published version any more, unless it is the last try.

    A projection that lacks a seed, one that was written since, is dropped.
    """
    try:
        return await sources.run(
            statement,
            graph=projection.name,
            namespace=namespace,
            published=None if last else projection.published,
            damping=walk.damping,
            iterations=walk.iterations,
            tolerance=walk.tolerance,
            concurrency=walk.concurrency,
            **parameters,
        )
    except QueryError as error:
        gone = projection.name in str(error) and "does not exist" in str(error)
        outdated = "do not exist in the in-memory graph" in str(error)
        if last or not (gone or outdated):
            raise
        if outdated:
            await sources.run("projection/drop_projection", graph=projection.name)
        return []


def ranked_passage(row: Mapping[str, Any]) -> RankedPassage:
    """A passage from a row with id, title, text, score, row and properties."""
    return RankedPassage(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        score=row["score"],
        metadata={
            name.removeprefix(_METADATA): value
            for name, value in row["properties"].items()
            if name.startswith(_METADATA)
        },
        row=row["row"],
    )
