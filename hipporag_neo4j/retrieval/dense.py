"""Mode `dense`: passages whose vectors are nearest to the question's. A baseline, and what other modes fall back to."""

from typing import TYPE_CHECKING

from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.rank_passages import ranked_passage

if TYPE_CHECKING:
    from neo4j.vector import Vector


async def search_by_vector(inquiry: Inquiry) -> tuple[RankedPassage, ...]:
    """The nearest passages; scores are cosines."""
    with inquiry.stages.time("embed"):
        embedding = as_vectors(await inquiry.sources.embed([inquiry.question]))[0]
    return await find_near(inquiry, embedding)


async def find_near(inquiry: Inquiry, embedding: "Vector", at_least: int = 0) -> tuple[RankedPassage, ...]:
    """The passages nearest to a vector; scores are cosines. More than the limit where `at_least` says so."""
    limit = max(inquiry.limit, at_least)
    with inquiry.stages.time("search"):
        rows = await inquiry.run(
            "retrieval/find_passages_by_vector",
            embedding=embedding,
            fetch=2 * limit + 50,
            limit=limit,
        )
    return tuple(ranked_passage(row) for row in rows)
