"""What the measurements share: the graph of the questions, a server, clocks and percentiles."""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from hipporag_neo4j import HippoRAG, Settings, local_server
from hipporag_neo4j.cli.server import shown_progress
from hipporag_neo4j.schema import find_graph
from hipporag_neo4j.text import Normalisation

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "musique_train"
OPENIE = "openie_gpt-3.5-turbo-1106.json"
QUESTIONS_FILE = "questions.json"
DECISIONS_FILE = "recorded_llm_query_decisions.json"
NAMESPACE = "bench_musique"
NORMALISATION: Normalisation = "paper"
LIMIT = 10
WARM_UP = 10
"""Questions asked before the measured ones."""

note = Console(stderr=True)

DataFolder = Annotated[Path, typer.Option("--data", help="Folder with the OpenIE file, questions and decisions.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Iterations = Annotated[int | None, typer.Option(min=1, help="Iterations at most; the setting unless given.")]
Tolerance = Annotated[float | None, typer.Option(help="Tolerance; the setting unless given.")]
Questions = Annotated[int | None, typer.Option("--questions", min=1, help="Ask only so many; all unless given.")]
Concurrency = Annotated[int, typer.Option(min=1, help="Threads of the walk.")]


def with_server(settings: Settings) -> Settings:
    """The settings, with a local server running unless they name another."""
    if settings.neo4j_uri is None and local_server.find_running(settings) is None:
        with shown_progress(note) as on_progress:
            local_server.start(settings, on_progress=on_progress)
    return settings


def import_questions_graph(rag: HippoRAG, data: Path) -> None:
    """Make sure that the graph of the questions is there; what is written already costs nothing."""
    if not (data / OPENIE).is_file():
        note.print(f"{data / OPENIE} is missing. Give the folder that holds it: --data FOLDER.")
        raise typer.Exit(1)
    graph = find_graph(rag.database, rag.namespace)
    if graph is not None and graph.published and graph.version == graph.published:
        return
    note.print("Importing the graph once; embedding it takes some minutes.")
    rag.import_openie(data / OPENIE)


def milliseconds(work: Callable[..., object], *arguments: Any, **named: Any) -> float:
    """How long the work takes with these arguments."""
    begin = time.perf_counter()
    work(*arguments, **named)
    return 1000 * (time.perf_counter() - begin)


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which `share` percent lie."""
    return round(float(np.percentile(values, share)), 2)


def spread(values: Sequence[float]) -> dict[str, float]:
    """p50 and p95."""
    return {"p50": percentile(values, 50), "p95": percentile(values, 95)}


def print_json(figures: Mapping[str, Any]) -> None:
    """The figures, alone on standard output."""
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
