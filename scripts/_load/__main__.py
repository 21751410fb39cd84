"""The command of scripts/load."""

import multiprocessing
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.status import Status
from scripts._bench.common import AsJson, note, percentile, print_json, with_server
from scripts._load.history import History, differ_from_fresh, read_lines
from scripts._load.memory import Growth, Watch, growth
from scripts._load.oracle import EXACT, Oracle, Vectors
from scripts._load.reading import ReadTask, read_for
from scripts._load.world import MODES, STARTING, lasting_passages
from scripts._load.writing import Writer, WriteTask, write_for
from tests.embedders import HashEmbedder

_USUAL_DIMENSIONS = 384
_SAMPLES = 60
_PROJECTIONS = 4
"""Two shapes of two versions; beside them each reader may have one of its own for a moment."""
_SHOWN_FAULTS = 5
_SECONDS_FOR_GROWTH = 120
"""Before that, garbage that was not collected yet looks like growth."""


def put_load(
    settings: Settings, *, seconds: float, readers: int, processes: int, writers: int, pause: float
) -> dict[str, Any]:
    """Readers and writers on a fresh graph for so many seconds; what they saw, checked. The graph is removed."""
    settings = settings.model_copy(update={**EXACT, "namespace": f"load_{uuid.uuid4().hex[:12]}"})
    with TemporaryDirectory() as name, closing(open_database(settings)) as database:
        folder = Path(name)
        dimensions = [row["dimensions"] for row in database.run("schema/show_indexes") if row["dimensions"]]
        embedder = HashEmbedder(dimensions[0] if dimensions else _USUAL_DIMENSIONS)
        with HippoRAG(settings, embedder=embedder) as rag:
            Writer(rag, folder / "commits-first.jsonl").write(lasting_passages())
            try:
                watch = Watch(database, settings, settings.namespace)
                _run_clients(settings, embedder.dimensions, folder, watch, seconds, readers, processes, writers, pause)
                status = rag.status()
            finally:
                rag.drop()
        checked = _check(folder, status, embedder)
    figures = {"seconds": seconds, "readers": readers, "processes": processes, "writers": writers, **checked}
    return figures | _memory(watch)


def _run_clients(
    settings: Settings,
    dimensions: int,
    folder: Path,
    watch: Watch,
    seconds: float,
    readers: int,
    processes: int,
    writers: int,
    pause: float,
) -> None:
    # Started as programs of their own, not copies of this one, which has threads and connections.
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(processes + writers + 1)
    shares = [len(range(number, readers, processes)) for number in range(processes)]
    clients = [
        context.Process(target=read_for, args=(ReadTask(settings, dimensions, folder, number, threads, seconds), ready))
        for number, threads in enumerate(shares)
    ]
    clients += [
        context.Process(
            target=write_for,
            args=(WriteTask(settings, dimensions, folder, number, writers, seconds, pause), ready),
        )
        for number in range(writers)
    ]
    for client in clients:
        client.start()
    try:
        ready.wait(STARTING)
        pids = [client.pid for client in clients if client.pid is not None]
        watch.follow(pids, lambda: all(client.is_alive() for client in clients), max(0.5, seconds / _SAMPLES))
        for client in clients:
            client.join()
    finally:
        for client in clients:
            client.kill()
    if any(client.exitcode for client in clients):
        raise RuntimeError(f"A client broke off; the exit codes are {[client.exitcode for client in clients]}.")


def _check(folder: Path, status: Status, embedder: HashEmbedder) -> dict[str, Any]:
    """Every answer against the version that it claims to show, and the last version against a fresh build."""
    history = History(status.graph.namespace, read_lines(folder.glob("commits-*.jsonl")))
    vectors = Vectors(embedder.dimensions)
    answers = read_lines(folder.glob("answers-*.jsonl"))
    runs = read_lines(folder.glob("writer-*.json"))
    errors = [answer["error"] for answer in answers if "error" in answer]
    errors += [error for run in runs for error in run["errors"]]
    answers = sorted((answer for answer in answers if "error" not in answer), key=lambda answer: answer["version"])
    faults: list[str] = []
    exact: Counter[str] = Counter()
    oracle: Oracle | None = None
    for answer in answers:
        if answer["stale"]:
            continue
        if oracle is None or history.version != answer["version"]:
            history.go_to(answer["version"])
            oracle = Oracle(history.content(), vectors)
        exact[answer["mode"]] += 1
        if (fault := oracle.complain(answer)) is not None:
            faults.append(f"{answer['mode']}, question {answer['question']}, version {answer['version']}: {fault}")
    history.go_to(status.graph.version)
    if (fault := differ_from_fresh(history, status, embedder)) is not None:
        faults.append(f"the graph at the end: {fault}")
    return {
        "versions": history.version,
        "runs": sum(run["runs"] for run in runs),
        "errors": len(errors),
        "wrong": len(faults),
        "examples": [*errors[:_SHOWN_FAULTS], *faults[:_SHOWN_FAULTS]],
        "modes": {mode: _of_mode(mode, answers, exact) for mode in MODES},
    }


def _of_mode(mode: str, answers: Sequence[Mapping[str, Any]], exact: Mapping[str, int]) -> dict[str, Any]:
    own = [answer for answer in answers if answer["mode"] == mode]
    times = [answer["ms"] for answer in own]
    return {
        "answers": len(own),
        "checked": exact[mode],
        "stale": sum(answer["stale"] for answer in own),
        "p50_ms": percentile(times, 50) if times else None,
        "p95_ms": percentile(times, 95) if times else None,
    }


def _memory(watch: Watch) -> dict[str, Any]:
    samples = watch.samples
    grown: dict[str, Growth] = {
        f"client_{number}": growth([sample.clients[number] for sample in samples])
        for number in range(len(samples[0].clients))
    }
    grown["heap"] = growth([sample.heap for sample in samples])
    if samples[0].server is not None:
        grown["server"] = growth([sample.server for sample in samples])
    return {
        "megabytes": {
            name: {**{k: round(v, 1) for k, v in asdict(one).items()}, "flat": one.flat} for name, one in grown.items()
        },
        "most_projections": max(sample.projections for sample in samples),
    }


def load(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long.")] = 5.0,
    readers: Annotated[int, typer.Option(min=1, max=100, help="Readers at a time.")] = 8,
    processes: Annotated[int, typer.Option(min=1, max=100, help="Processes that the readers share.")] = 4,
    writers: Annotated[int, typer.Option(min=1, max=20, help="Writers, each a process.")] = 2,
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds a writer rests after a run, about.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Many clients read and write one graph; every ranking is checked against igraph on the version that it claims.

    Exit status 1 where a client met an error, a ranking is wrong, or memory grew.
    """
    settings = with_server(Settings())
    figures = put_load(
        settings,
        seconds=60 * minutes,
        readers=readers,
        processes=min(processes, readers),
        writers=writers,
        pause=pause,
    )
    print_json(figures) if as_json else _show(figures)
    if faults(figures):
        note.print("\n".join([*faults(figures), *figures["examples"]]), style="red")
        raise typer.Exit(1)


def faults(figures: Mapping[str, Any]) -> list[str]:
    """What must not be, one line each."""
    found = [f"{figures[what]} {what}" for what in ("errors", "wrong") if figures[what]]
    found += [f"no answer of {mode} could be checked" for mode, one in figures["modes"].items() if not one["checked"]]
    if figures["seconds"] >= _SECONDS_FOR_GROWTH:
        found += [f"{name} grew" for name, one in figures["megabytes"].items() if not one["flat"]]
    if figures["most_projections"] > _PROJECTIONS + figures["readers"]:
        found.append(f"{figures['most_projections']} projections at a time")
    return found


def _show(figures: Mapping[str, Any]) -> None:
    title = f"{figures['readers']} readers, {figures['writers']} writers, {figures['seconds']:.0f} s"
    table = Table("mode", "answers", "checked", "stale", "p50, ms", "p95, ms", title=title)
    for mode, one in figures["modes"].items():
        table.add_row(mode, *(str(one[name]) for name in ("answers", "checked", "stale", "p50_ms", "p95_ms")))
    memory = Table("megabytes", "start", "end")
    for name, one in figures["megabytes"].items():
        memory.add_row(name, f"{one['start']:.0f}", f"{one['end']:.0f}")
    console = Console()
    console.print(table, memory)
    console.print(
        f"{figures['runs']} runs of writers to version {figures['versions']}, {figures['errors']} errors, "
        f"{figures['wrong']} wrong rankings, {figures['most_projections']} projections at most."
    )


if __name__ == "__main__":
    typer.run(load)
