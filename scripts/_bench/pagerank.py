"""What scripts/bench measures. Figures go to standard output, everything else to standard error.

`pagerank`: for each question the walk alone, the ranking statement and igraph's `personalized_pagerank` in turn, on
the same graph. `write`: writing that graph into a fresh namespace, with vectors that were computed before.
"""

import json
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import igraph
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings, local_server
from hipporag_neo4j.cli.server import shown_progress
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.evaluation import read_decisions, read_questions
from hipporag_neo4j.evaluation.ask import entities_of
from hipporag_neo4j.projection import Projection, Weights, ensure_projection
from hipporag_neo4j.retrieval.link_query import link_entities
from hipporag_neo4j.retrieval.rank_passages import Walk
from hipporag_neo4j.retrieval.retrieve import options_of
from hipporag_neo4j.retrieval.sources import finish
from hipporag_neo4j.retrieval.weigh_seeds import weigh_by_specificity
from hipporag_neo4j.schema import find_graph, open_graph
from hipporag_neo4j.timing import Stages

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "musique_train"
OPENIE = "openie_gpt-3.5-turbo-1106.json"
# GDS passes on no change below the tolerance, so its error is up to tolerance x nodes.
PARITY = Walk(iterations=100, tolerance=1e-16, minimum=0.0)
LIMIT = 10
NAMESPACE = "bench_musique"

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False)
note = Console(stderr=True)

DataFolder = Annotated[Path, typer.Option("--data", help="Folder with the OpenIE file, questions and decisions.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]

Seeds = list[dict[str, Any]]


@dataclass(frozen=True)
class Bench:
    """An open graph, its projection, and what each question walks from."""

    rag: HippoRAG
    projection: Projection
    questions: Sequence[str]
    entities: Sequence[Sequence[str]]
    seeds: Sequence[Seeds]

    def walk(self, statement: str, seeds: Seeds, walk: Walk, **more: Any) -> list[dict[str, Any]]:
        """Run a statement that walks."""
        return self.rag.database.run(
            statement,
            graph=self.projection.name,
            namespace=self.rag.namespace,
            seeds=seeds,
            damping=walk.damping,
            iterations=walk.iterations,
            tolerance=walk.tolerance,
            concurrency=walk.concurrency,
            **more,
        )

    def rank(self, seeds: Seeds, walk: Walk) -> list[dict[str, Any]]:
        """The ranking statement as retrieval sends it."""
        published = self.projection.published
        return self.walk(
            "retrieval/rank_by_mentions", seeds, walk, published=published, minimum=walk.minimum, limit=LIMIT
        )


@app.command()
def pagerank(
    data: DataFolder = DATA,
    iterations: Annotated[int | None, typer.Option(help="Iterations at most; the setting unless given.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Tolerance; the setting unless given.")] = None,
    concurrency: Annotated[int, typer.Option(help="Threads of the walk.")] = 1,
    as_json: AsJson = False,
) -> None:
    """The walk, the ranking statement and igraph on the graph of the questions, p50 and p95 over all of them."""
    settings = Settings(namespace=NAMESPACE, normalisation="paper")
    shipped = options_of(settings).walk
    walk = Walk(
        shipped.damping, iterations or shipped.iterations, tolerance or shipped.tolerance, shipped.minimum, concurrency
    )
    with HippoRAG(_with_server(settings)) as rag:
        bench = _prepare(rag, data)
        keys, oracle = _igraph_of(bench)
        largest, same_top = 0.0, 0
        for seeds in track(bench.seeds, "Comparing with igraph", console=note):
            largest = max(largest, _difference(bench, keys, oracle, seeds))
            same_top += _top(bench, seeds, walk) == _top(bench, seeds, PARITY)
        times: dict[str, list[float]] = {"gds": [], "statement": [], "igraph": []}
        stages: dict[str, list[float]] = {}
        for number in track(range(-10, len(bench.seeds)), "Measuring", console=note):
            seeds = bench.seeds[number]
            measured = {
                "gds": _milliseconds(lambda s=seeds: bench.walk("bench/time_walk", s, walk)),
                "statement": _milliseconds(lambda s=seeds: bench.rank(s, walk)),
                "igraph": _igraph_milliseconds(oracle, keys, seeds, walk.damping),
            }
            result = rag.retrieve(
                bench.questions[number], mode="hipporag1", limit=LIMIT, entities=bench.entities[number]
            )
            if number >= 0:  # the first ten warm up
                for name, value in measured.items():
                    times[name].append(value)
                for name, value in result.timings.items():
                    stages.setdefault(name, []).append(value)
    figures: dict[str, Any] = {
        "questions": len(bench.seeds),
        "nodes": len(keys),
        "edges": oracle.ecount(),
        "max_difference": largest,
        "same_top_10": same_top,
        "iterations": walk.iterations,
        "tolerance": walk.tolerance,
        "concurrency": walk.concurrency,
    }
    for name, values in times.items():
        figures |= {f"{name}_p50_ms": _percentile(values, 50), f"{name}_p95_ms": _percentile(values, 95)}
    figures["statement_to_igraph"] = round(figures["statement_p50_ms"] / figures["igraph_p50_ms"], 2)
    figures["retrieval_ms"] = {
        name: {"p50": _percentile(values, 50), "p95": _percentile(values, 95)} for name, values in stages.items()
    }
    if as_json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    else:
        _show(figures, times, stages)


class ReadyEmbedder:
    """An embedder whose vectors were computed before, so that writing is measured alone."""

    def __init__(self, name: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self.name = name
        self.dimensions = vectors.shape[1]
        self._rows = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors, from memory."""
        return self._vectors[[self._rows[text] for text in texts]]


@app.command()
def write(
    data: DataFolder = DATA,
    repeat: Annotated[int, typer.Option(min=1, help="How often the graph is written, each time anew.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Writing the graph into a fresh namespace, indexes online, synonyms linked: seconds by stage, embedding apart."""
    settings = _with_server(Settings(normalisation="paper"))
    runs = []
    with HippoRAG(settings, namespace=NAMESPACE) as rag:
        _import(rag, data)
        embedder = _ready(rag.embedder, rag, data)
    for _ in range(repeat):
        namespace = f"bench_{uuid.uuid4().hex[:8]}"
        with HippoRAG(settings, namespace=namespace, embedder=embedder) as rag:
            rag.init()
            begin = time.perf_counter()
            report = rag.import_openie(data / OPENIE)
            total = time.perf_counter() - begin
            runs.append({**report.seconds, "total": total, "without_embedding": total - report.seconds["embed"]})
            rag.database.run("bench/drop_namespace", namespace=namespace)
    runs = [{name: round(value, 2) for name, value in run.items()} for run in runs]
    figures = {"best_seconds": min(run["without_embedding"] for run in runs), "runs": runs}
    if as_json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return
    table = Table("stage", *(f"run {n}, s" for n in range(1, repeat + 1)))
    for name in runs[0]:
        table.add_row(name, *(f"{run[name]:.2f}" for run in runs))
    Console().print(table)


def _with_server(settings: Settings) -> Settings:
    """The settings, with a local server running unless they name another."""
    if settings.neo4j_uri is None and local_server.find_running(settings) is None:
        with shown_progress(note) as on_progress:
            local_server.start(settings, on_progress=on_progress)
    return settings


def _prepare(rag: HippoRAG, data: Path) -> Bench:
    _import(rag, data)
    graph = open_graph(rag.database, rag.namespace)
    questions = read_questions(data / "questions.json")
    decisions = read_decisions([data / "recorded_llm_query_decisions.json"])
    projection = finish(ensure_projection(rag._sources.run, rag.namespace, Weights()))
    seeds, entities = [], []
    for question in track(questions, "Linking", console=note):
        named = entities_of(question, decisions) or ()
        linked = finish(link_entities(rag._sources, graph, named, Stages()))
        seeds.append([{"key": key, "weight": seed.weight} for key, seed in weigh_by_specificity(linked).items()])
        entities.append(named)
    return Bench(rag, projection, [question.question for question in questions], entities, seeds)


def _import(rag: HippoRAG, data: Path) -> None:
    if not (data / OPENIE).is_file():
        note.print(f"{data / OPENIE} is missing. Give the folder that holds it: --data FOLDER.")
        raise typer.Exit(1)
    graph = find_graph(rag.database, rag.namespace)
    if graph is None or graph.version != graph.published or not graph.published:
        note.print("Importing the graph once; embedding it takes some minutes.")
    rag.import_openie(data / OPENIE)


def _ready(embedder: Embedder, rag: HippoRAG, data: Path) -> ReadyEmbedder:
    """All texts of the graph with the vectors it holds."""
    rows = list(rag.database.stream("bench/read_vectors", namespace=rag.namespace, dimensions=embedder.dimensions))
    return ReadyEmbedder(embedder.name, [row["text"] for row in rows], _matrix([row["embedding"] for row in rows]))


def _matrix(vectors: Sequence[Any]) -> NDArray[np.float32]:
    return np.array([vector.to_native() for vector in vectors], dtype=np.float32)


def _igraph_of(bench: Bench) -> tuple[dict[str, int], igraph.Graph]:
    """The projection's nodes (by key) and edges, as an igraph graph."""
    nodes = bench.walk("bench/stream_walk", bench.seeds[0], Walk(iterations=1))
    position = {row["node"]: number for number, row in enumerate(nodes)}
    edges: list[tuple[int, int]] = []
    weights: list[float] = []
    loops: dict[int, list[float]] = {}
    for row in bench.rag.database.stream("bench/stream_edges", graph=bench.projection.name):
        source, target = position[row["source"]], position[row["target"]]
        if source < target:
            edges.append((source, target))
            weights.append(row["weight"])
        elif source == target:
            loops.setdefault(source, []).append(row["weight"])
    for node, both in loops.items():  # a loop is streamed twice, and igraph counts it twice itself
        edges += [(node, node)] * (len(both) // 2)
        weights += sorted(both)[::2]
    graph = igraph.Graph(n=len(nodes), edges=edges)
    graph.es["weight"] = weights
    return {row["key"]: position[row["node"]] for row in nodes}, graph


def _restart(keys: dict[str, int], seeds: Seeds) -> list[float]:
    restart = [0.0] * len(keys)
    for seed in seeds:
        restart[keys[seed["key"]]] = seed["weight"]
    return restart


def _walk_igraph(graph: igraph.Graph, restart: list[float], damping: float) -> list[float]:
    scores: list[float] = graph.personalized_pagerank(
        reset=restart, damping=damping, weights="weight", directed=False, implementation="prpack"
    )
    return scores


def _difference(bench: Bench, keys: dict[str, int], oracle: igraph.Graph, seeds: Seeds) -> float:
    """The largest difference of two scores that sum to 1: parity settings against igraph."""
    expected = np.array(_walk_igraph(oracle, _restart(keys, seeds), PARITY.damping))
    found = np.zeros(len(keys))
    for row in bench.walk("bench/stream_walk", seeds, PARITY):
        found[keys[row["key"]]] = row["score"]
    return float(np.abs(found / found.sum() - expected / expected.sum()).max())


def _top(bench: Bench, seeds: Seeds, walk: Walk) -> set[str]:
    return {row["id"] for row in bench.rank(seeds, walk)}


def _milliseconds(work: Any) -> float:
    begin = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begin)


def _igraph_milliseconds(graph: igraph.Graph, keys: dict[str, int], seeds: Seeds, damping: float) -> float:
    restart = _restart(keys, seeds)
    return _milliseconds(lambda: _walk_igraph(graph, restart, damping))


def _percentile(values: Sequence[float], share: int) -> float:
    return round(float(np.percentile(values, share)), 2)


def _show(figures: dict[str, Any], times: dict[str, list[float]], stages: dict[str, list[float]]) -> None:
    table = Table("ms", "p50", "p95", title=f"{figures['questions']} questions, {figures['nodes']:,} phrases")
    names = {"gds": "PageRank, GDS", "statement": "ranking statement", "igraph": "PageRank, igraph"}
    for name, values in [
        *((names[n], v) for n, v in times.items()),
        *((f"retrieval: {n}", v) for n, v in stages.items()),
    ]:
        table.add_row(name, f"{_percentile(values, 50):.1f}", f"{_percentile(values, 95):.1f}")
    out = Console()
    out.print(table)
    out.print(f"Ranking statement to igraph: {figures['statement_to_igraph']} x (p50).")
    out.print(f"Largest difference to igraph at parity settings: {figures['max_difference']:.1e}.")
    out.print(f"Top 10 as at parity settings: {figures['same_top_10']} of {figures['questions']}.")


if __name__ == "__main__":
    app()
