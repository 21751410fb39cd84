"""Whole retrievals by stage, and recall beside latency for more and fewer passage seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.embedding.remembering import RememberingEmbedder
from hipporag_neo4j.evaluation import FoundGold, find_gold
from hipporag_neo4j.evaluation.measures import all_recall_at, mean, recall_at
from hipporag_neo4j.text import normalise
from scripts._bench.common import (
    DATA,
    LIMIT,
    NAMESPACE,
    NORMALISATION,
    WARM_UP,
    AsJson,
    DataFolder,
    Questions,
    import_questions_graph,
    milliseconds,
    note,
    print_json,
    spread,
    with_server,
)
from scripts._bench.recorded import Case, Walking, read_cases

RECALL_AT = (2, 5, 10)
SEEDED: tuple[Walking, ...] = ("hipporag2", "hybrid")


@dataclass(frozen=True)
class Way:
    """A mode, and how many passages seed it: 0 is all, None where passages don't seed."""

    mode: Walking
    seeds: int | None = None

    @property
    def name(self) -> str:
        """For the table."""
        if self.seeds is None:
            return self.mode
        return f"{self.mode}, {self.seeds or 'all'} passage seeds"

    def settings(self, settings: Settings) -> Settings:
        """The settings of this way."""
        if self.seeds is None:
            return settings
        return settings.model_copy(update={f"{self.mode}_passage_seeds": self.seeds})


def retrieval(
    data: DataFolder = DATA,
    seeds: Annotated[
        list[int] | None, typer.Option(min=0, help="Passage seeds of hipporag2 and hybrid, 0 for all; repeatable.")
    ] = None,
    questions: Questions = None,
    as_json: AsJson = False,
) -> None:
    """Whole retrievals with recorded decisions, p50 and p95 by stage; question vectors are made before, and apart."""
    settings = with_server(Settings(namespace=NAMESPACE, normalisation=NORMALISATION))
    numbers = dict.fromkeys([0, 500, 200, 100, 50] if seeds is None else seeds)
    ways = [Way("hipporag1"), *(Way(mode, number) for mode in SEEDED for number in numbers)]
    with HippoRAG(settings) as rag:
        import_questions_graph(rag, data)
        cases = read_cases(data, questions)
        gold = find_gold(rag.database, rag.namespace, [case.question for case in cases])
        embedder = RememberingEmbedder(rag.embedder)
        embedding = _embed(embedder, cases)
        results = _retrieve_all(settings, embedder, ways, cases)
    figures = {
        "questions": len(cases),
        "embed_question_ms": spread(embedding),
        "ways": {way.name: _figures(results[way], cases, gold) for way in ways},
    }
    print_json(figures) if as_json else _show(figures)


def _embed(embedder: Embedder, cases: Sequence[Case]) -> list[float]:
    """Milliseconds a question's vector takes; what hipporag1 embeds, the entities, is embedded here too."""
    embedder.embed(["Anything, to load the model."])
    times = [milliseconds(embedder.embed, [case.question.question]) for case in track(cases, "Embedding", console=note)]
    embedder.embed([normalise(entity, NORMALISATION) for case in cases for entity in case.entities])
    return times


def _retrieve_all(
    settings: Settings, embedder: Embedder, ways: Sequence[Way], cases: Sequence[Case]
) -> dict[Way, list[RetrievalResult]]:
    """Each question in each way, one after the other, so that a busy moment strikes all ways alike."""
    results: dict[Way, list[RetrievalResult]] = {way: [] for way in ways}
    opened = {way: HippoRAG(way.settings(settings), embedder=embedder) for way in ways}
    try:
        for number in track(range(-WARM_UP, len(cases)), "Measuring", console=note):
            case = cases[number]
            for way, rag in opened.items():
                result = rag.retrieve(
                    case.question.question,
                    mode=way.mode,
                    limit=LIMIT,
                    entities=case.entities,
                    fact_filter=case.fact_filter,
                )
                if number >= 0:
                    results[way].append(result)
    finally:
        for rag in opened.values():
            rag.close()
    return results


def _figures(results: Sequence[RetrievalResult], cases: Sequence[Case], gold: FoundGold) -> dict[str, Any]:
    found = [([p.id for p in r.passages], gold.of(c.question)) for r, c in zip(results, cases, strict=True)]
    stages: dict[str, list[float]] = {}
    for result in results:
        for stage, value in result.timings.items():
            stages.setdefault(stage, []).append(value)
    return {
        **{f"recall@{k}": round(mean([recall_at(ids, wanted, k) for ids, wanted in found]), 4) for k in RECALL_AT},
        "all_recall@5": round(mean([all_recall_at(ids, wanted, 5) for ids, wanted in found]), 4),
        "latency_ms": {stage: spread(values) for stage, values in stages.items()},
    }


def _show(figures: Mapping[str, Any]) -> None:
    ways: Mapping[str, Mapping[str, Any]] = figures["ways"]
    recall = Table(
        "mode", "passage seeds", "recall@2", "@5", "@10", "all@5", "p50, ms", "p95", title="Recall and latency"
    )
    stages = dict.fromkeys(stage for way in ways.values() for stage in way["latency_ms"] if stage != "total")
    latency = Table("p50, ms", "seeds", *stages, "total")
    for name, way in ways.items():
        times = way["latency_ms"]
        total = times["total"]
        shares = [f"{way[key]:.3f}" for key in ("recall@2", "recall@5", "recall@10", "all_recall@5")]
        mode, _, number = name.removesuffix(" passage seeds").partition(", ")
        recall.add_row(mode, number, *shares, f"{total['p50']:.1f}", f"{total['p95']:.1f}")
        cells = [f"{times[stage]['p50']:.1f}" if stage in times else "" for stage in stages]
        latency.add_row(mode, number, *cells, f"{total['p50']:.1f}")
    out = Console()
    out.print(recall, latency)
    embedding = figures["embed_question_ms"]
    out.print(f"Embedding a question, not counted above: {embedding['p50']:.1f} ms (p95 {embedding['p95']:.1f}).")
