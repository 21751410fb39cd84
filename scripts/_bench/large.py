"""PageRank on a large made-up graph by three libraries."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import Settings
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database
from scripts._bench.common import AsJson, Concurrency, milliseconds, note, percentile, print_json, with_server
from scripts._bench.made_up import iterate, make_up
from scripts._bench.yardstick import igraph_of, page_rank

PUBLISHED_MS = 56.6
"""One PageRank query of 30 iterations on 100,000 nodes and about 400,000 edges, as published; another machine."""
_WARM_UP = 3
_SOURCES = 5
Sources = list[list[float | int]]
Walk = Mapping[str, Any]
Rivals = Mapping[str, Callable[..., Any]]
"""PageRank of each node, by library, for restart probabilities and `damping`."""


def large(
    nodes: Annotated[int, typer.Option(min=100, help="Nodes; about four times as many edges.")] = 100_000,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of GDS and SciPy.")] = 30,
    tolerance: Annotated[
        float, typer.Option(help="Tolerance of GDS; the default lets it make all iterations.")
    ] = 1e-16,
    concurrency: Concurrency = 1,
    queries: Annotated[int, typer.Option(min=1, help="Walks, each from other nodes.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed makes another graph.")] = 1,
    as_json: AsJson = False,
) -> None:
    """PageRank on a made-up graph: GDS beside igraph (prpack) beside SciPy (power iteration), p50 and p95.

    The graph is projected from parameters: the database is neither read nor written.
    """
    graph = make_up(nodes, seed)
    note.print(f"{graph.nodes:,} nodes and {len(graph.ends):,} edges.")
    settings = with_server(Settings())
    walk = {
        "graph": f"hipporag_bench.{uuid.uuid4().hex}",
        "damping": settings.damping,
        "iterations": iterations,
        "tolerance": tolerance,
        "concurrency": concurrency,
    }
    rng = np.random.default_rng(seed)
    sources = [_sources(rng, nodes) for _ in range(queries)]
    rivals: Rivals = {
        "igraph": partial(page_rank, igraph_of(nodes, graph.ends.tolist(), graph.weights.tolist())),
        "scipy": partial(iterate, graph.transitions(), iterations=iterations),
    }
    with closing(open_database(settings)) as database:
        try:
            projected = milliseconds(
                database.run, "bench/project_edges", graph=walk["graph"], edges=graph.weighted_edges()
            )
            times = _measure(database, walk, rivals, sources, nodes)
            differences = _compare(database, walk, rivals, sources[:3], nodes)
        finally:
            database.run("projection/drop_projection", graph=walk["graph"])
    figures: dict[str, Any] = {
        "nodes": nodes,
        "edges": len(graph.ends),
        "iterations": iterations,
        "tolerance": tolerance,
        "concurrency": concurrency,
        "queries": queries,
        "project_ms": round(projected, 1),
    }
    for library, values in times.items():
        figures |= {f"{library}_p50_ms": percentile(values, 50), f"{library}_p95_ms": percentile(values, 95)}
    figures |= {f"max_difference_{library}": value for library, value in differences.items()}
    figures["published_ms"] = PUBLISHED_MS
    print_json(figures) if as_json else _show(figures)


def _measure(
    database: Database, walk: Walk, rivals: Rivals, sources: Sequence[Sources], nodes: int
) -> dict[str, list[float]]:
    """Milliseconds of each walk by library, in turn."""
    times: dict[str, list[float]] = {library: [] for library in ("gds", *rivals)}
    for number in track(range(-_WARM_UP, len(sources)), "Measuring", console=note):
        seeds = sources[number]
        restart = _restart(seeds, nodes)
        given = {"igraph": restart.tolist(), "scipy": restart}
        measured = {"gds": milliseconds(database.run, "bench/time_numbered_walk", sources=seeds, **walk)}
        for library, rank in rivals.items():
            measured[library] = milliseconds(rank, given[library], damping=walk["damping"])
        if number >= 0:
            for library, value in measured.items():
                times[library].append(value)
    return times


def _compare(
    database: Database, walk: Walk, rivals: Rivals, sources: Sequence[Sources], nodes: int
) -> dict[str, float]:
    """The largest difference of each library's scores to those of GDS, all scaled to sum to 1."""
    differences = dict.fromkeys(rivals, 0.0)
    for seeds in track(sources, "Comparing", console=note):
        found = _scores(database, walk, seeds, nodes)
        for library, rank in rivals.items():
            scores = np.asarray(rank(_restart(seeds, nodes), damping=walk["damping"]))
            difference = float(np.abs(found / found.sum() - scores / scores.sum()).max())
            differences[library] = max(differences[library], difference)
    return differences


def _sources(rng: np.random.Generator, nodes: int) -> Sources:
    """A few nodes with weights that sum to 1."""
    weights = rng.random(_SOURCES)
    chosen = rng.choice(nodes, _SOURCES, replace=False)
    return [[int(node), float(weight)] for node, weight in zip(chosen, weights / weights.sum(), strict=True)]


def _restart(sources: Sources, nodes: int) -> NDArray[np.float64]:
    restart = np.zeros(nodes)
    for node, weight in sources:
        restart[int(node)] = weight
    return restart


def _scores(database: Database, walk: Walk, sources: Sources, nodes: int) -> NDArray[np.float64]:
    scores = np.zeros(nodes)
    for row in database.stream("bench/stream_numbered_walk", sources=sources, batch=10_000, **walk):
        scores[row["node"]] = row["score"]
    return scores


def _show(figures: Mapping[str, Any]) -> None:
    title = f"{figures['nodes']:,} nodes, {figures['edges']:,} edges, {figures['iterations']} iterations"
    table = Table("PageRank", "p50, ms", "p95, ms", "largest difference to GDS", title=title)
    shown: Sequence[tuple[str, str]] = (
        ("gds", "GDS"),
        ("igraph", "igraph (prpack)"),
        ("scipy", "SciPy (power iteration)"),
    )
    for library, label in shown:
        difference = figures.get(f"max_difference_{library}")
        table.add_row(
            label,
            f"{figures[f'{library}_p50_ms']:.1f}",
            f"{figures[f'{library}_p95_ms']:.1f}",
            "" if difference is None else f"{difference:.1e}",
        )
    table.add_row("published reference, another machine", f"{figures['published_ms']:.1f}", "", "")
    Console().print(table)
