"""What retrieval sends for each question, recorded once, so that statements can be sent again and timed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rich.progress import track

from hipporag_neo4j import HippoRAG
from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.evaluation import Question, read_decisions, read_questions
from hipporag_neo4j.evaluation.ask import entities_of
from hipporag_neo4j.evaluation.replay import replay
from hipporag_neo4j.retrieval.filter_facts import FactFilter, Triplet, Verdict
from hipporag_neo4j.retrieval.retrieve import options_of, retrieve
from hipporag_neo4j.retrieval.sources import BlockingSources
from scripts._bench.common import DECISIONS_FILE, LIMIT, QUESTIONS_FILE, note

Walking = Literal["hipporag1", "hipporag2", "hybrid"]
"""Modes that walk."""
RANKING: dict[Walking, str] = {
    "hipporag1": "retrieval/rank_by_mentions",
    "hipporag2": "retrieval/rank_passage_nodes",
    "hybrid": "retrieval/rank_passage_nodes",
}
"""The statement that walks and ranks, by mode."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what a language model decided about it."""

    question: Question
    entities: tuple[str, ...]
    fact_filter: FactFilter | None


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement with its parameters, and whether it waits for what the language model says."""

    statement: str
    parameters: dict[str, Any]
    after_llm: bool = True

    def send(self, database: Database) -> list[Row]:
        """Send it again."""
        return database.run(self.statement, **self.parameters)


@dataclass(frozen=True, slots=True)
class RecordingSources(BlockingSources):
    """Sources that write down what is sent to the database."""

    sent: list[Sent] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        self.sent.append(Sent(query, parameters, after_llm=bool(self.verdicts)))
        return self.database.run(query, **parameters)

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question, as recorded."""
        verdict = await BlockingSources.filter_facts(self, question, facts, known)
        self.verdicts.append(verdict)
        return verdict


def read_cases(data: Path, most: int | None = None) -> list[Case]:
    """The questions, or the first `most`, each with its recorded decisions."""
    decisions = read_decisions([data / DECISIONS_FILE])
    cases = []
    for question in read_questions(data / QUESTIONS_FILE)[:most]:
        decision = decisions.find(question)
        fact_filter = replay(decision) if decision is not None else None
        cases.append(Case(question, entities_of(question, decisions) or (), fact_filter))
    return cases


def record(rag: HippoRAG, mode: Walking, cases: Sequence[Case]) -> list[list[Sent]]:
    """What each question sends; the last statement ranks. Questions that dense search answers are left out."""
    sent = []
    for case in track(cases, f"Recording {mode}", console=note):
        named = [Verdict(entities=case.entities)] if mode == "hipporag1" else []  # all it sends waits for the entities
        sources = RecordingSources(
            rag.database, rag.embedder, lambda: None, fact_filter=case.fact_filter, verdicts=named
        )
        finish(
            retrieve(
                sources,
                rag._graph,
                case.question.question,
                mode=mode,
                limit=LIMIT,
                entities=case.entities,
                options=options_of(rag.settings),
            )
        )
        if sources.sent[-1].statement == RANKING[mode]:
            sent.append(sources.sent)
    return sent
