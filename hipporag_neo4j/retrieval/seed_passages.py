"""Passages as seeds: every one, or the best ones, by its nearness to the question (HippoRAG 2, section 3.2)."""

from typing import TYPE_CHECKING

from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.weigh_seeds import min_max

if TYPE_CHECKING:
    from neo4j.vector import Vector


async def find_passage_seeds(
    inquiry: Inquiry, vector: "Vector", negated: "Vector", *, most: int, weight: float
) -> dict[str, float]:
    """Weights by passage key, not scaled: `weight` for the nearest passage, falling to 0 for the farthest of all.

    The minimum is that of all passages also where only the best `most` become seeds; 0 makes all of them seeds.
    """
    if weight == 0:
        return {}
    if most == 0:
        rows = await inquiry.run("retrieval/score_passages", embedding=vector)
        lowest = min((row["score"] for row in rows), default=0.0)
    else:
        rows = await inquiry.run(
            "retrieval/find_passage_seeds",
            embedding=vector,
            negated=negated,
            fetch=most + 50,
            limit=most,
        )
        lowest = rows[0]["lowest"] if rows else 0.0
    scaled = min_max({row["key"]: row["score"] for row in rows}, lowest)
    return {key: weight * score for key, score in scaled.items() if score > 0}
