"""The graph in Graph Data Science's memory that PageRank walks: made when missing, named after what it shows."""

import hashlib
import json
import uuid
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from hipporag_neo4j.coroutines import BLOCKING, Waiting
from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import ConfigurationError, DatabaseError, GraphNotFoundError, QueryError
from hipporag_neo4j.filters import EVERYTHING, Filter
from hipporag_neo4j.projection_catalogue import (
    DEFAULT_MEGABYTES,
    EVERYBODY,
    OWN,
    begin_building,
    clear_abandoned,
    end_building,
    is_taken,
    tidy,
)
from hipporag_neo4j.schema import graph_not_found
from hipporag_neo4j.settings import ProjectionWeights

Shape = Literal["phrases", "passages"]
"""What a projection holds: phrases alone, or phrases and passages, joined by mentions."""

_TRIES = 3
_PATIENCE = 10.0
"""Seconds after which somebody who waits for a projection looks whether it is being built at all."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
_STATEMENTS: dict[tuple[Shape, ProjectionWeights], str] = {
    ("phrases", "sum"): "projection/project_phrases",
    ("phrases", "paper"): "projection/project_phrases_as_paper",
    ("passages", "sum"): "projection/project_passages",
    ("passages", "paper"): "projection/project_passages_as_paper",
}
_OF_ALLOWED: dict[ProjectionWeights, str] = {
    "sum": "projection/project_allowed",
    "paper": "projection/project_allowed_as_paper",
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
class _Shown:
    """What a projection shows of a namespace: its shape, how edges weigh, and which passages count."""

    namespace: str
    weights: Weights
    shape: Shape
    where: Filter = EVERYTHING

    @property
    def suffix(self) -> str:
        """The shape, and a hash of the filter and the weights that count: with another it is another projection."""
        used = asdict(self.weights)
        if self.shape == "phrases":
            del used["mention"]
        if self.where:
            used["where"] = self.where.key
        digest = hashlib.blake2b(json.dumps(used, sort_keys=True).encode(), digest_size=8).hexdigest()
        return f".{self.shape}.{digest}"


@dataclass(frozen=True, slots=True)
class Projection:
    """A projection in memory, by name. It shows the graph as it was after write transaction number `version`: the
    `published` one, or a later one of a run that has yet to end. `stale`: writers kept it from being exact. `own`:
    nobody else finds it, and its owner drops it."""

    name: str
    published: int
    version: int
    stale: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    base: str
    suffix: str
    lock: str
    version: int
    published: int
    synonym_threshold: float
    graph: str | None
    builder: str | None
    building: float | None

    @property
    def usable(self) -> Projection | None:
        """The projection, unless it was not checked yet."""
        if self.graph is None or self.builder is not None:
            return None
        return Projection(self.graph, self.published, int(self.graph.removeprefix(self.base).split(".")[0]))

    @property
    def name(self) -> str:
        """What a projection of the graph as it is now is named."""
        return f"{self.base}{self.version}{self.suffix}"


async def ensure_projection(
    run: Run,
    namespace: str,
    weights: Weights,
    shape: Shape = "phrases",
    where: Filter = EVERYTHING,
    *,
    own: bool = False,
    megabytes: int = DEFAULT_MEGABYTES,
    waiting: Waiting = BLOCKING,
) -> Projection:
    """The projection of the namespace's published version; where it is missing one client builds it, others wait.

    With a filter it holds what the allowed passages alone would make.
    A projection is found by others only if no writer committed while it was built. After three tries the caller gets
    one of its own, marked as `stale` if that is no better, which it drops when it has walked; with `own` at once.
    Building one drops older ones, and the oldest of all while they take more than so many `megabytes`. What is being
    built is not left half done where the caller is cancelled: others may wait for it.
    Raises GraphNotFoundError when the namespace holds no graph, or no phrase, and ConfigurationError when synonyms are
    wanted that it doesn't hold.
    """
    shown = _Shown(namespace, weights, shape, where)
    found = await _find(run, shown)
    if found.graph is None:
        _refuse_missing_synonyms(namespace, weights, found.synonym_threshold)
    for _ in range(0 if own else _TRIES):
        if found.usable is not None:
            return found.usable
        built = None if found.builder else await waiting.whole(_build_in_turn(run, shown, found.lock, megabytes))
        if built is not None:
            return built
        found = await _wait(run, shown, found, waiting)
    if found.usable is not None:
        return found.usable
    return await waiting.whole(
        _build_own(run, shown), undo=lambda built: run("projection/drop_projection", graph=built.name)
    )


async def _build_in_turn(run: Run, shown: _Shown, lock: str, megabytes: int) -> Projection | None:
    """Build a projection that others may find; None where another client does, or a writer committed meanwhile."""
    builder = await begin_building(run, lock)
    if builder is None:
        return None
    try:
        built = await _build_checked(run, shown, builder)
    finally:
        await end_building(run, lock, builder)
    if built is not None:
        await tidy(run, built.name, megabytes)
    return built


async def _build_checked(run: Run, shown: _Shown, builder: str) -> Projection | None:
    before = await _find(run, shown)
    if before.builder != builder or before.graph is not None:  # another one was faster
        return None
    try:
        await _build(run, before.name, shown)
    except QueryError as error:
        if not is_taken(error):
            raise  # else by somebody who was taken for dead, and nobody checked it
    else:
        if (await _find(run, shown)).name == before.name:
            return Projection(before.name, before.published, before.version)
    await run("projection/drop_projection", graph=before.name)
    return None


async def _wait(run: Run, shown: _Shown, found: _Found, waiting: Waiting) -> _Found:
    """What is there when the client that builds at this moment has ended; one that has died is not waited for."""
    now = await _find(run, shown)
    while now.builder is not None and now.builder == (found.builder or now.builder) and now.lock == found.lock:
        found, waited = now, now.building or 0.0
        if waited <= _PATIENCE or not await clear_abandoned(run, now.base, now.suffix, now.lock, now.builder):
            await waiting.pause(min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, waited / 4)))
        now = await _find(run, shown)
    return now


async def _build_own(run: Run, shown: _Shown) -> Projection:
    before = await _find(run, shown)
    own = f"{before.name}{OWN}{uuid.uuid4().hex}"
    await _build(run, own, shown)
    after = await _find(run, shown)
    return Projection(own, before.published, before.version, stale=after.name != before.name, own=True)


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
    shown = _Shown(namespace, weights, shape)
    before = await _find(run, shown)
    if before.graph is not None:
        return
    await _build(run, before.name, shown, pairs)
    if (await _find(run, shown)).version != before.version:
        await run("projection/drop_projection", graph=before.name)
        raise DatabaseError(
            f"The graph in namespace {namespace!r} was written to while other synonyms were tried out on it. Nothing "
            "was changed. Wait until no indexing runs, then run the same command again."
        )


async def drop_projection(run: Run, namespace: str, weights: Weights, shape: Shape) -> None:
    """Drop the projection of the namespace's published version, if it is there."""
    found = await _find(run, _Shown(namespace, weights, shape))
    if found.graph is not None:
        await run("projection/drop_projection", graph=found.graph)


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
    return f"{EVERYBODY}{namespace}."


async def _find(run: Run, shown: _Shown) -> _Found:
    rows = await run(
        "projection/find_projection",
        namespace=shown.namespace,
        prefix=projection_prefix(shown.namespace),
        suffix=shown.suffix,
    )
    if not rows:
        raise graph_not_found(shown.namespace)
    return _Found(suffix=shown.suffix, **rows[0])


async def _build(run: Run, name: str, shown: _Shown, pairs: Sequence[Mapping[str, object]] = ()) -> None:
    weights, namespace = shown.weights, shown.namespace
    mention = weights.mention if shown.shape == "passages" else None
    own: dict[str, object] = {} if mention is None else {"mention_weight": mention}
    if shown.where:
        own = {"mention_weight": mention, "where": shown.where}
    elif weights.rule == "sum":
        own["pairs"] = list(pairs)
    rows = await run(
        _OF_ALLOWED[weights.rule] if shown.where else _STATEMENTS[shown.shape, weights.rule],
        graph=name,
        namespace=namespace,
        fact_weight=weights.fact,
        synonym_weight=weights.synonym,
        synonym_from=weights.synonym_from or 0.0,
        **own,
    )
    if not rows or not rows[0]["nodes"]:
        raise GraphNotFoundError(f"The graph in namespace {namespace!r} holds no phrase to walk over. Index passages.")
