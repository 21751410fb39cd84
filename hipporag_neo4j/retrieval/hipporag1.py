"""Mode `hipporag1`: entities -> nearest phrases -> specificity -> PageRank over phrases -> mention-weighted passages.

HippoRAG (NeurIPS 2024), section 2.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hipporag_neo4j.retrieval.dense import search_by_vector
from hipporag_neo4j.retrieval.found import WALKED_NOWHERE, Found
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.link_query import NodeLinking, link_nodes
from hipporag_neo4j.retrieval.rank_passages import rank_by_mentions
from hipporag_neo4j.retrieval.weigh_seeds import weigh_by_specificity


@dataclass(frozen=True, slots=True)
class NodeSeeds:
    """How phrases become seeds: by the question's entities, or the `phrases` nearest to the question.

    Without `specificity` all weigh the same.
    """

    linking: NodeLinking = "entities"
    phrases: int = 5
    specificity: bool = True


async def retrieve(inquiry: Inquiry, recipe: NodeSeeds) -> Found:
    """The best passages. Without an entity, or a phrase to start from, dense search answers and says so."""
    linked = await link_nodes(inquiry, recipe.linking, most=recipe.phrases)
    if not linked.phrases:
        passages = await search_by_vector(inquiry)
        return Found(passages, entities=linked.entities, fallback=why_unlinked(recipe.linking, linked.entities))
    seeds = weigh_by_specificity(linked.phrases, specificity=recipe.specificity)
    ranking = await rank_by_mentions(inquiry, seeds)
    if not ranking.passages:
        passages = await search_by_vector(inquiry)
        return Found(passages, entities=linked.entities, fallback=WALKED_NOWHERE, stale=ranking.stale)
    ordered = sorted(seeds.values(), key=lambda seed: (-seed.weight, seed.phrase))
    return Found(ranking.passages, tuple(ordered), linked.entities, stale=ranking.stale)


def why_unlinked(linking: NodeLinking, entities: Sequence[str]) -> str:
    """Why there is nowhere to start a walk."""
    if linking == "question":
        return "There is no phrase that a passage mentions; dense search answered."
    if not entities:
        return "The question names no entity, so there is nowhere to start a walk; dense search answered."
    return f"No phrase could be linked to {', '.join(map(repr, entities))}; dense search answered."
