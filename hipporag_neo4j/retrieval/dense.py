"""Mode `dense`: passages whose vectors are nearest to the question's. A baseline, and what other modes fall back to."""

from typing import TYPE_CHECKING

from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.retrieval.rank_passages import ranked_passage
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.timing import Stages

if TYPE_CHECKING:
    from neo4j.vector import Vector


async def search_by_vector(
    sources: Sources, graph: Graph, question: str, limit: int, stages: Stages
) -> tuple[RankedPassage, ...]:
    """The `limit` nearest passages; scores are cosines."""
    with stages.time("embed"):
        embedding = as_vectors(await sources.embed([question]))[0]
    return await find_near(sources, graph, embedding, limit, stages)


async def find_near(
    sources: Sources, graph: Graph, embedding: "Vector", limit: int, stages: Stages
) -> tuple[RankedPassage, ...]:
    """The `limit` passages nearest to a vector; scores are cosines."""
    with stages.time("search"):
        rows = await sources.run(
            "retrieval/find_passages_by_vector",
            namespace=graph.namespace,
            embedding=embedding,
            fetch=2 * limit + 50,
            limit=limit,
        )
    return tuple(ranked_passage(row) for row in rows)
