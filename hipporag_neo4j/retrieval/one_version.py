"""One version for all that a search shows: it is several statements, and writers commit in between."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from hipporag_neo4j.errors import DatabaseError
from hipporag_neo4j.retrieval.found import Found
from hipporag_neo4j.retrieval.inquiry import Inquiry, Overtaken, Walked
from hipporag_neo4j.retrieval.sources import RememberingSources
from hipporag_neo4j.schema import Graph, graph_in

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """What a mode found, and the version of the graph it shows: all of it, or with `stale` what was walked.

    `walked`: the walk that ranked it, None where none did.
    """

    found: Found
    version: int
    stale: bool
    walked: Walked | None = None


async def find_at_one_version(inquiry: Inquiry, find: Callable[[Inquiry], Awaitable[Found]]) -> Seen:
    """What `find` finds, again where another version was published meanwhile; the models are asked nothing twice.

    Where the graph's version is the same before and after, that of every walk in between, and the published one, all
    statements saw that one: a version is published when it is applied whole. Otherwise a run is writing, or has broken
    off, or the graph was published anew each time, and the result is `stale`.
    Raises GraphNotFoundError or DatabaseError for a graph that was dropped meanwhile, or dropped and made anew.
    """
    asked = replace(inquiry, sources=RememberingSources(inquiry.sources))
    tries = 0
    while True:
        tries += 1
        last = tries == _TRIES
        asked = replace(asked, walked=[], repeated=not last)
        try:
            found = await find(asked)
        except Overtaken:
            asked = replace(asked, graph=await _look(asked))
            continue
        now = await _look(asked)
        walks = [walk.version for walk in asked.walked]
        ranked = asked.walked[-1] if asked.walked and not found.fallback else None
        versions = {asked.graph.version, now.version, *walks}
        if versions == {now.published}:
            return Seen(found, now.version, found.stale, ranked)
        if last or now.published == asked.graph.published:
            return Seen(found, min(walks, default=asked.graph.version), stale=True, walked=ranked)
        asked = replace(asked, graph=now)


async def _look(inquiry: Inquiry) -> Graph:
    """The graph as it is now. Raises for one that is not the one that was asked."""
    namespace = inquiry.graph.namespace
    now = graph_in(await inquiry.sources.run("schema/find_graph", namespace=namespace), namespace)
    if now.created != inquiry.graph.created:
        raise DatabaseError(
            f"The graph in namespace {namespace!r} was dropped and made anew while it was searched. Ask again."
        )
    return now
