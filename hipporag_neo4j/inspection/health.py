"""How healthy a graph is, without gold answers: its measures with verdicts, and what each run gave."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.errors import GraphNotFoundError
from hipporag_neo4j.inspection.judge import RULES, Measure
from hipporag_neo4j.projection import Weights, ensure_projection
from hipporag_neo4j.schema import Graph

FALLBACKS = (
    "How often questions fall back to dense search isn't recorded: the graph keeps no questions. `evaluate` counts it "
    "for a file of questions, and each result says it (`fallback`)."
)
_FEW = 100
_RUNS = 10


@dataclass(frozen=True, slots=True)
class RunQuality:
    """What reading gave, over the passages that stand today as a run wrote them. `per_100_words`: facts stated.

    `model` is the language model that the run names, None for ready triples.
    """

    run: str
    model: str | None
    since: datetime
    passages: int
    without_facts: int
    facts: int
    per_100_words: float | None
    malformed: int
    failed: int


@dataclass(frozen=True, slots=True)
class Health:
    """Measures with verdicts; `runs` shows the trend, the last run first, `notes` what the measures can't tell."""

    measures: tuple[Measure, ...]
    runs: tuple[RunQuality, ...]
    notes: tuple[str, ...]


def read_health(database: Database, graph: Graph, weights: Weights) -> Health:
    """Measure a graph; time grows with its size (a second for 16,000 phrases, half of it to project them).

    Raises GraphNotFoundError for a graph without passages.
    """
    rows = {row["measure"]: row for row in database.run("inspect/health_measures", namespace=graph.namespace)}
    passages = rows["passages without facts"]["of"]
    if not passages:
        raise GraphNotFoundError(f"The graph in namespace {graph.namespace!r} holds no passage to judge. Index some.")
    if rows["phrases of no passage"]["of"]:
        rows["nodes in the largest component"] = _largest_component(database, graph.namespace, weights)
    measures = tuple(
        rule.judge(name, rows[name]["count"], rows[name]["of"]) for name, rule in RULES.items() if name in rows
    )
    runs = database.run("inspect/quality_by_run", namespace=graph.namespace, limit=_RUNS)
    few = f"With {passages} passages the shares say little: what is usual was measured on 1,890."
    return Health(
        measures,
        tuple(RunQuality(**{**row, "since": row["since"].to_native()}) for row in runs),
        (few, FALLBACKS) if passages < _FEW else (FALLBACKS,),
    )


def _largest_component(database: Database, namespace: str, weights: Weights) -> Row:
    async def run(query: str, /, **parameters: Any) -> list[Row]:
        return database.run(query, **parameters)

    # One of its own: what others share, they may drop before it is read.
    projection = finish(ensure_projection(run, namespace, weights, "passages", own=True))
    try:
        (row,) = database.run("health/count_components", graph=projection.name)
    finally:
        database.run("projection/drop_projection", graph=projection.name)
    return {"count": row["largest"], "of": row["nodes"]}
