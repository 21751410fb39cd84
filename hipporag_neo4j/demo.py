"""The bundled sample: put into a graph, and asked what the graph finds and similarity doesn't."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipporag_neo4j.domain import RankedPassage, RetrievalResult
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.text import Normalisation, normalise

SAMPLE = Path(__file__).parent / "sample"
OPENIE = SAMPLE / "openie.json"
NAMESPACE = "demo"
TOP = 3


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question with its answer, what it names, and the ids of the passages that hold the answer."""

    question: str
    answer: str
    entities: tuple[str, ...]
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step to `phrase`; without a predicate the two phrases are synonyms. `forward`: the fact points there."""

    phrase: str
    predicate: str | None
    forward: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A path over facts and synonyms."""

    start: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question answered by walking the graph and by similarity alone; `chains` lead from the seeds to the answer."""

    question: DemoQuestion
    graph: RetrievalResult
    dense: RetrievalResult
    chains: tuple[Chain, ...]

    def found(self, result: RetrievalResult) -> int:
        """How many of the gold passages a result holds."""
        return len({passage.id for passage in result.passages if is_gold(passage, self.question)})


def read_demo_questions() -> tuple[DemoQuestion, ...]:
    """The questions of the sample that are marked for the demo."""
    entries = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    return tuple(
        DemoQuestion(entry["question"], entry["answer"], tuple(entry["entities"]), tuple(entry["gold"]))
        for entry in entries
        if entry.get("demo")
    )


def is_gold(passage: RankedPassage, question: DemoQuestion) -> bool:
    """Whether a passage holds (a part of) the question's answer."""
    return passage.id in question.gold


def compare(rag: HippoRAG) -> Iterator[Comparison]:
    """The demo's questions, one by one, each answered in both ways. The sample must have been imported."""
    normalisation = rag.status().graph.normalisation
    for question in read_demo_questions():
        graph = rag.retrieve(question.question, mode="hipporag1", limit=TOP, entities=question.entities)
        dense = rag.retrieve(question.question, mode="dense", limit=TOP)
        yield Comparison(question, graph, dense, _find_paths(rag, question, graph, normalisation))


def _find_paths(
    rag: HippoRAG, question: DemoQuestion, result: RetrievalResult, normalisation: Normalisation
) -> tuple[Chain, ...]:
    target = normalise(question.answer, normalisation).removeprefix("the ")
    paths = []
    for seed in result.seeds:
        rows = rag.database.run("demo/find_path", namespace=rag.namespace, source=seed.phrase, target=target)
        for row in rows[:1]:
            start, *phrases = row["names"]
            steps = zip(phrases, row["steps"], strict=True)
            paths.append(Chain(start, tuple(Step(name, step["predicate"], step["forward"]) for name, step in steps)))
    return tuple(paths)
