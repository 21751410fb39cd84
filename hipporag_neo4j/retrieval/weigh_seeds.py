"""From linked phrases to restart weights: pure arithmetic."""

from collections.abc import Iterable
from dataclasses import dataclass

from hipporag_neo4j.domain import Seed


@dataclass(frozen=True, slots=True)
class LinkedPhrase:
    """The phrase an entity of the question was linked to; `passages` mention it, at least one."""

    key: str
    phrase: str
    entity: str
    similarity: float
    passages: int


def weigh_by_specificity(linked: Iterable[LinkedPhrase]) -> dict[str, Seed]:
    """Seeds by phrase key: equal restart weights, each times its specificity 1 / passages, scaled to sum to 1.

    HippoRAG, section 2.3 (node specificity). Two entities on one phrase do not add up, as in the official code; the
    seed names the nearer one.
    """
    best: dict[str, LinkedPhrase] = {}
    for phrase in linked:
        known = best.get(phrase.key)
        if known is None or phrase.similarity > known.similarity:
            best[phrase.key] = phrase
    total = sum(1 / phrase.passages for phrase in best.values())
    return {
        key: Seed(phrase.phrase, 1 / phrase.passages / total, phrase.entity, phrase.similarity)
        for key, phrase in best.items()
    }
