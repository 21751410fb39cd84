"""Judge what was found for one question against its gold passages."""

from collections.abc import Mapping
from dataclasses import dataclass

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT, all_recall_at, recall_at
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question in one entry. `scores`, each 0 to 1, by their names in reports; `missing`: gold the graph lacks."""

    question: Question
    result: RetrievalResult
    scores: Mapping[str, float]
    missing: tuple[GoldPassage, ...]

    @property
    def recall(self) -> dict[int, float]:
        """Recall by cut-off."""
        return {k: self.scores[f"recall@{k}"] for k in RECALL_AT}

    @property
    def all_recall(self) -> dict[int, float]:
        """Whether all gold was found, by cut-off."""
        return {k: self.scores[f"all_recall@{k}"] for k in ALL_RECALL_AT}


def judge(question: Question, result: RetrievalResult, found: FoundGold) -> Outcome:
    """The scores of one question."""
    ranking = [passage.id for passage in result.passages]
    gold = found.of(question)
    scores = {f"recall@{k}": recall_at(ranking, gold, k) for k in RECALL_AT}
    scores |= {f"all_recall@{k}": all_recall_at(ranking, gold, k) for k in ALL_RECALL_AT}
    return Outcome(question, result, scores, found.missing(question))
