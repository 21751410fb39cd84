"""Judge what was found for one question against its gold passages."""

from collections.abc import Mapping
from dataclasses import dataclass

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.evaluation.answer_scores import exact_match, f1
from hipporag_neo4j.evaluation.ask import Asked, Reading
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT, all_recall_at, recall_at
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question in one entry. `scores`, each 0 to 1, by their names in reports; `missing`: gold the graph lacks.

    `exact_match` and `f1` are among the scores where an answer was read and the test set has one. That the passages
    don't hold the answer, and an unusable answer, count as 0.
    """

    question: Question
    result: RetrievalResult
    scores: Mapping[str, float]
    missing: tuple[GoldPassage, ...]
    reading: Reading | None = None

    @property
    def recall(self) -> dict[int, float]:
        """Recall by cut-off."""
        return {k: self.scores[f"recall@{k}"] for k in RECALL_AT}

    @property
    def all_recall(self) -> dict[int, float]:
        """Whether all gold was found, by cut-off."""
        return {k: self.scores[f"all_recall@{k}"] for k in ALL_RECALL_AT}


def judge(question: Question, asked: Asked, found: FoundGold) -> Outcome:
    """The scores of one question."""
    ranking = [passage.id for passage in asked.result.passages]
    gold = found.of(question)
    scores = {f"recall@{k}": recall_at(ranking, gold, k) for k in RECALL_AT}
    scores |= {f"all_recall@{k}": all_recall_at(ranking, gold, k) for k in ALL_RECALL_AT}
    if asked.reading is not None and question.right_answers:
        answer = asked.reading.answer
        scores["exact_match"] = 0.0 if answer is None else exact_match(answer, question.right_answers)
        scores["f1"] = 0.0 if answer is None else f1(answer, question.right_answers)
    return Outcome(question, asked.result, scores, found.missing(question), asked.reading)
