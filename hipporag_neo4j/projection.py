"""The graph in Graph Data Science's memory that PageRank walks: made when missing, named after what it shows."""

import hashlib
import json
import uuid
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import ConfigurationError, DatabaseError, GraphNotFoundError, QueryError
from hipporag_neo4j.schema import graph_not_found
from hipporag_neo4j.settings import ProjectionWeights

Shape = Literal["phrases", "passages"]
"""What a projection holds: phrases alone, or phrases and passages, joined by mentions."""

_TRIES = 3
_STATEMENTS: dict[tuple[Shape, ProjectionWeights], str] = {
    ("phrases", "sum"): "projection/project_phrases",
    ("phrases", "paper"): "projection/project_phrases_as_paper",
    ("passages", "sum"): "projection/project_passages",
    ("passages", "paper"): "projection/project_passages_as_paper",
}


class Run(Protocol):
    """Runs a named statement; blocking and asynchronous clients both fit."""

    def __call__(self, query: str, /, **parameters: Any) -> Awaitable[list[Row]]:
        """The statement's rows."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Edge weights, computed in the projection.

    `sum`: a fact weighs `fact` x the passages that state it, a synonym `synonym` x cosine; parallel edges add up.
    `paper`: as the official code builds its graph, where a synonym replaces the facts between the same two phrases.
    A mention weighs `mention`, whatever its count; only the shape with passages has them. Synonyms whose cosine is less
    than `synonym_from` are left out; None takes all that the graph holds.
    """

    rule: ProjectionWeights = "sum"
    fact: float = 2.0
    synonym: float = 2.0
    mention: float = 1.0
    synonym_from: float | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """A projection in memory: its name, the version it shows, and whether writers kept it from being exact."""

    name: str
    published: int
    stale: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    version: int
    published: int
    synonym_threshold: float
    found: bool


async def ensure_projection(run: Run, namespace: str, weights: Weights, shape: Shape = "phrases") -> Projection:
    """The projection of the namespace's published version; built if it is missing, older ones dropped.

    A projection is kept only if no writer committed while it was built. After three tries the caller gets one of its
    own, marked as `stale`, which it drops when it has walked. Raises GraphNotFoundError when the namespace holds no
    graph, or no phrase, and ConfigurationError when synonyms are wanted that it doesn't hold.
    """
    before = await _find(run, namespace, weights, shape)
    if not before.found:
        _refuse_missing_synonyms(namespace, weights, before.synonym_threshold)
    for _ in range(_TRIES):
        if before.found:
            return Projection(before.name, before.published)
        await _build(run, before.name, namespace, weights, shape)
        after = await _find(run, namespace, weights, shape)
        if after.version == before.version:
            await _drop_older(run, namespace, before.name)
            return Projection(before.name, before.published)
        await run("projection/drop_projection", graph=before.name)
        before = after
    own = f"{before.name}.{uuid.uuid4().hex}"
    await _build(run, own, namespace, weights, shape)
    return Projection(own, before.published, stale=True)


async def ensure_projection_with_pairs(
    run: Run, namespace: str, weights: Weights, shape: Shape, pairs: Sequence[Mapping[str, object]]
) -> None:
    """The projection that `ensure_projection` will find for `weights`, as if the graph held more synonyms.

    `pairs` (`source` and `target` key, `score`) are all that reach `weights.synonym_from` and not the graph's own
    threshold. For the rule `sum`. Raises DatabaseError when the graph changes meanwhile: the pairs may not fit it.
    """
    if weights.rule != "sum":
        raise ConfigurationError(
            f"Only with the projection weights 'sum' can synonyms be tried out that a graph doesn't hold, not with "
            f"{weights.rule!r}. Unset HIPPORAG_PROJECTION_WEIGHTS."
        )
    before = await _find(run, namespace, weights, shape)
    if before.found:
        return
    await _build(run, before.name, namespace, weights, shape, pairs)
    if (await _find(run, namespace, weights, shape)).version != before.version:
        await run("projection/drop_projection", graph=before.name)
        raise DatabaseError(
            f"The graph in namespace {namespace!r} was written to while other synonyms were tried out on it. Nothing "
            "was changed. Wait until no indexing runs, then run the same command again."
        )


async def drop_projection(run: Run, namespace: str, weights: Weights, shape: Shape) -> None:
    """Drop the projection of the namespace's published version, if it is there."""
    found = await _find(run, namespace, weights, shape)
    if found.found:
        await run("projection/drop_projection", graph=found.name)


def _refuse_missing_synonyms(namespace: str, weights: Weights, threshold: float) -> None:
    if weights.synonym_from is not None and weights.synonym_from < threshold:
        raise ConfigurationError(
            f"The graph in namespace {namespace!r} holds synonyms from {threshold:g} on, so none from "
            f"{weights.synonym_from:g} on can be walked. Run `hipporag-neo4j tune-synonyms --apply "
            f"{weights.synonym_from:g}` first."
        )


def projection_prefix(namespace: str) -> str:
    """What the names of a namespace's projections begin with, and of no other's."""
    # The separator can't occur in a namespace, so that no namespace is another's prefix.
    return f"hipporag.{namespace}."


def _suffix(weights: Weights, shape: Shape) -> str:
    """Shape of the graph and a hash of the weights that it uses: another weighting is another projection."""
    used = {name: value for name, value in asdict(weights).items() if shape == "passages" or name != "mention"}
    digest = hashlib.blake2b(json.dumps(used, sort_keys=True).encode(), digest_size=4).hexdigest()
    return f".{shape}.{digest}"


async def _find(run: Run, namespace: str, weights: Weights, shape: Shape) -> _Found:
    rows = await run(
        "projection/find_projection",
        namespace=namespace,
        prefix=projection_prefix(namespace),
        suffix=_suffix(weights, shape),
    )
    if not rows:
        raise graph_not_found(namespace)
    row = rows[0]
    return _Found(row["graph"], row["version"], row["published"], row["synonym_threshold"], row["found"])


async def _build(
    run: Run,
    name: str,
    namespace: str,
    weights: Weights,
    shape: Shape,
    pairs: Sequence[Mapping[str, object]] = (),
) -> None:
    own: dict[str, object] = {"mention_weight": weights.mention} if shape == "passages" else {}
    if weights.rule == "sum":
        own["pairs"] = list(pairs)
    try:
        rows = await run(
            _STATEMENTS[shape, weights.rule],
            graph=name,
            namespace=namespace,
            fact_weight=weights.fact,
            synonym_weight=weights.synonym,
            synonym_from=weights.synonym_from or 0.0,
            **own,
        )
    except QueryError as error:
        if "already exists" in str(error) or "already loaded" in str(error):  # another client was faster
            return
        raise
    if not rows or not rows[0]["nodes"]:
        raise GraphNotFoundError(f"The graph in namespace {namespace!r} holds no phrase to walk over. Index passages.")


async def _drop_older(run: Run, namespace: str, kept: str) -> None:
    for row in await run("projection/list_projections", prefix=projection_prefix(namespace)):
        if _age(row["graph"], namespace) < _age(kept, namespace):
            await run("projection/drop_projection", graph=row["graph"])


def _age(name: str, namespace: str) -> tuple[int, int]:
    """When the projected graph was made, in milliseconds, and its version."""
    created, version = name.removeprefix(projection_prefix(namespace)).split(".")[:2]
    return int(created), int(version)
