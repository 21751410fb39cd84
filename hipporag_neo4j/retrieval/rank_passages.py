"""The statements that rank: from seeds, vectors or terms to passages, best first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import RankedPassage, Seed
from hipporag_neo4j.errors import GraphChangedError, QueryError
from hipporag_neo4j.projection import Projection, ensure_projection
from hipporag_neo4j.retrieval.inquiry import Inquiry, Overtaken, Walked
from hipporag_neo4j.retrieval.weigh_seeds import SeedWeights

_TRIES = 3
_METADATA = "meta_"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Passages, best first, and whether writers kept the projection from being exact."""

    passages: tuple[RankedPassage, ...]
    stale: bool


async def rank_by_mentions(inquiry: Inquiry, seeds: Mapping[str, Seed]) -> Ranking:
    """Passages by the mention-weighted sum of their phrases' PageRank (HippoRAG, section 2.3).

    `seeds` by phrase key, not empty.
    """
    start = Walked("phrases", {key: seed.weight for key, seed in seeds.items()})
    return await rank(inquiry, start, inquiry.limit)


async def rank_passage_nodes(inquiry: Inquiry, seeds: SeedWeights, at_least: int = 0) -> Ranking:
    """Passages by their own PageRank in the graph of phrases and passages (HippoRAG 2, section 3.2).

    There must be a seed. More passages than the limit where `at_least` says so.
    """
    start = Walked("passages", {key: seed.weight for key, seed in seeds.phrases.items()}, seeds.passages)
    return await rank(inquiry, start, max(inquiry.limit, at_least))


async def rank(inquiry: Inquiry, start: Walked, limit: int) -> Ranking:
    """The ranking that the walk gives, which joins those of the inquiry."""
    phrases, passages = weighted_keys(start.phrases), weighted_keys(start.passages)
    if start.shape == "phrases":
        rows, walked, stale = await walk_graph(
            inquiry, "retrieval/rank_by_mentions", start, seeds=phrases, minimum=inquiry.walk.minimum, limit=limit
        )
    else:
        rows, walked, stale = await walk_graph(
            inquiry, "retrieval/rank_passage_nodes", start, phrases=phrases, passages=passages, limit=limit
        )
    inquiry.walked.append(walked)
    return Ranking(tuple(ranked_passage(row) for row in rows), stale)


def weighted_keys(weights: Mapping[str, float]) -> list[dict[str, str | float]]:
    """Seeds as statements take them."""
    return [{"key": key, "weight": weight} for key, weight in weights.items()]


async def walk_graph(
    inquiry: Inquiry, statement: str, start: Walked, **parameters: Any
) -> tuple[list[Row], Walked, bool]:
    """Rows of a statement that walks a projection of the published version, the walk with its version, and whether
    that is stale.

    The statement walks only if that is the version that was projected; otherwise, or when the projection was dropped
    meanwhile or lacks a seed, it is repeated on a new projection. The last try makes one that nobody else drops, and
    takes it as it is. Raises Overtaken where another version was published since the search began, if it is repeated
    then.
    """
    tries = 0
    while True:
        tries += 1
        last = tries == _TRIES
        with inquiry.stages.time("project"):
            projection = await ensure_projection(
                inquiry.sources.run,
                inquiry.graph.namespace,
                inquiry.weights,
                start.shape,
                inquiry.where,
                own=last,
                megabytes=inquiry.megabytes,
                waiting=inquiry.sources.waiting,
            )
        overtaken = inquiry.repeated and projection.published != inquiry.graph.published
        with inquiry.stages.time("rank"):
            try:
                rows = [] if overtaken else await _try_rank(inquiry, statement, projection, parameters, last=last)
            finally:
                if projection.own:
                    await inquiry.sources.waiting.whole(_drop(inquiry, projection))
        if overtaken:
            raise Overtaken
        if rows or last:
            return rows, replace(start, version=projection.version), projection.stale or (last and bool(rows))


async def _try_rank(
    inquiry: Inquiry, statement: str, projection: Projection, parameters: Mapping[str, Any], *, last: bool
) -> list[Row]:
    """The ranking, empty when the projection is not that of the published version any more, unless it is the last try.

    A projection that lacks a seed, one that was written since, is dropped.
    """
    walk = inquiry.walk
    try:
        return await inquiry.run(
            statement,
            graph=projection.name,
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
        if not (gone or outdated):
            raise
        if last:
            raise GraphChangedError(
                "The graph is being written to so fast that its nodes are others before a walk over them ends. Ask "
                "again, or when the run that writes is over."
            ) from error
        if outdated:
            await _drop(inquiry, projection)
        return []


async def _drop(inquiry: Inquiry, projection: Projection) -> None:
    await inquiry.sources.run("projection/drop_projection", graph=projection.name)


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
