"""`hipporag-neo4j server …`: the local Neo4j server."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import SecretStr
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from hipporag_neo4j import local_server
from hipporag_neo4j.local_server import OnProgress, ServerOptions, ServerStatus
from hipporag_neo4j.settings import Settings

server_app = typer.Typer(
    no_args_is_help=True,
    help="A Neo4j server with Graph Data Science on this machine, for trial and tests. Needs neither Java nor Docker.",
)

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Folder of the server's data; each folder has its own server. [HIPPORAG_DATA_DIR]"),
]
CacheDir = Annotated[
    Path | None, typer.Option("--cache-dir", help="Folder of the downloaded jars. [HIPPORAG_CACHE_DIR]")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]

_STAGES = {"verify": "Checking jars", "fetch": "Fetching jars", "start": "Waiting for Neo4j"}


@server_app.command()
def start(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port; else 7687, or a free one.")] = None,
    password: Annotated[
        str | None,
        typer.Option(
            help="Password; else a random one. Safer in the environment, where no process list shows it: "
            "[HIPPORAG_SERVER_PASSWORD]"
        ),
    ] = None,
    heap: Annotated[str | None, typer.Option(help="Java heap, like 512m or 2g; else a quarter of the memory.")] = None,
    page_cache: Annotated[str | None, typer.Option(help="Neo4j's page cache, like 128m or 1g.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds to wait until the server answers.")] = 180.0,
    data_dir: DataDir = None,
    cache_dir: CacheDir = None,
    as_json: AsJson = False,
) -> None:
    """Start the server, fetching it first where needed (190 MB). It goes on running when this command has ended."""
    settings = _settings(data_dir, cache_dir, password)
    options = ServerOptions(port=port, heap=heap, page_cache=page_cache, timeout=timeout)
    stderr = Console(stderr=True)
    with _shown(stderr) as on_progress:
        report = local_server.start(settings, options, on_progress)
    if as_json:
        _print_json(
            {
                "state": "running",
                "already_running": report.already_running,
                "uri": report.server.uri,
                "username": report.server.username,
                "pid": report.server.pid,
                "home": str(report.server.home),
                "fetched_jars": report.fetched,
                "seconds": round(report.seconds, 3),
                "notes": list(report.notes),
            }
        )
    for note in report.notes:
        stderr.print(note, highlight=False)
    found = "The server runs already" if report.already_running else f"The server is up after {report.seconds:.0f} s"
    stderr.print(
        f"{found}: {report.server.uri} (process {report.server.pid}), user {report.server.username}. Other commands "
        "find it by themselves.\nPassword: hipporag-neo4j server status --show-password\n"
        "End it: hipporag-neo4j server stop",
        highlight=False,
        soft_wrap=True,
    )


@server_app.command()
def stop(
    timeout: Annotated[float, typer.Option(min=0, help="Seconds until a server that does not end is killed.")] = 60.0,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Stop the server. Its data stay."""
    stderr = Console(stderr=True)
    with stderr.status("Stopping the server"):
        report = local_server.stop(_settings(data_dir), timeout=timeout)
    if as_json:
        _print_json({"outcome": report.outcome, "pid": report.pid, "seconds": round(report.seconds, 3)})
    messages = {
        "not running": "No server was running.",
        "stopped": f"The server (process {report.pid}) has stopped after {report.seconds:.0f} s.",
        "killed": f"The server (process {report.pid}) did not stop within {timeout:.0f} s and was killed; Neo4j "
        "recovers its data at the next start.",
    }
    stderr.print(messages[report.outcome], highlight=False, soft_wrap=True)


@server_app.command()
def status(
    show_password: Annotated[bool, typer.Option("--show-password", help="Show the password, too.")] = False,
    data_dir: DataDir = None,
    cache_dir: CacheDir = None,
    as_json: AsJson = False,
) -> None:
    """Say whether the server runs, where, and what it takes."""
    found = local_server.status(_settings(data_dir, cache_dir))
    if as_json:
        _print_json(_status_values(found, show_password=show_password))
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in _status_lines(found, show_password=show_password):
        table.add_row(name, value, style=None)
    Console(highlight=False, markup=False, soft_wrap=True).print(table)


@server_app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many of the last lines to show.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines until Ctrl-C.")] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show what the server printed."""
    if as_json and follow:
        raise typer.BadParameter("--json shows a log once; leave out --follow.")
    settings = _settings(data_dir)
    shown = local_server.read_log(settings, lines)
    if as_json:
        _print_json({"lines": shown})
        return
    for line in shown:
        typer.echo(line)
    if follow:
        for line in local_server.follow_log(settings):
            typer.echo(line)


def _settings(data_dir: Path | None, cache_dir: Path | None = None, password: str | None = None) -> Settings:
    """Settings from the environment, with the options that were given on top."""
    given: dict[str, Any] = {
        "data_dir": data_dir,
        "cache_dir": cache_dir,
        "server_password": None if password is None else SecretStr(password),
    }
    return Settings(**{name: value for name, value in given.items() if value is not None})


def _print_json(values: dict[str, Any]) -> None:
    typer.echo(json.dumps(values, indent=2, ensure_ascii=False))


def _status_values(found: ServerStatus, *, show_password: bool) -> dict[str, Any]:
    values = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(found).items()}
    del values["password"]
    if show_password:
        values["password"] = None if found.password is None else found.password.get_secret_value()
    return values


def _status_lines(found: ServerStatus, *, show_password: bool) -> Iterator[tuple[str, str]]:
    explained = {
        "running": "running",
        "starting": "starting; hipporag-neo4j server start waits for it",
        "not answering": "its process runs, but nothing answers: see hipporag-neo4j server logs",
        "stopped": "stopped; start it with hipporag-neo4j server start",
        "died": "ended without being stopped: see hipporag-neo4j server logs, then start it again",
    }
    yield "state", explained[found.state]
    if found.pid is not None:
        yield "process", str(found.pid)
    if found.uri is not None:
        yield "address", found.uri
    yield "user", found.username
    if show_password:
        yield "password", "none yet" if found.password is None else found.password.get_secret_value()
    yield "versions", f"Neo4j {found.neo4j}, Graph Data Science {found.gds}"
    if found.started is not None:
        yield "since", datetime.fromtimestamp(found.started).astimezone().isoformat(sep=" ", timespec="seconds")
    if found.heap is not None and found.resident is not None:
        yield "memory", f"{found.resident / 1e6:,.0f} MB (heap up to {found.heap} MB, page cache {found.page_cache} MB)"
    yield "data", f"{found.home} ({found.data_bytes / 1e6:,.0f} MB)"
    yield "jars", f"{found.jars} ({found.jars_bytes / 1e6:,.0f} MB)"
    yield "log", str(found.log)


@contextmanager
def _shown(console: Console) -> Iterator[OnProgress]:
    """A progress bar for each stage as it comes; where nobody watches, a line now and then."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def on_progress(progress: local_server.Progress) -> None:
            if progress.stage not in tasks:
                total = None if progress.stage == "start" else progress.total  # nobody knows how long a start takes
                tasks[progress.stage] = bars.add_task(_STAGES[progress.stage], total=total, done="")
            bars.update(tasks[progress.stage], completed=progress.done, done=_amount(progress))

        yield on_progress


class _Lines:
    """Progress as plain lines: one when a stage begins, then one every ten seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._told = 0.0

    def __call__(self, progress: local_server.Progress) -> None:
        now = time.monotonic()
        if progress.stage != self._stage or now - self._told >= 10:
            self._stage, self._told = progress.stage, now
            self._console.print(f"{_STAGES[progress.stage]}: {_amount(progress)}", highlight=False)


def _amount(progress: local_server.Progress) -> str:
    if progress.stage == "start":
        return f"{progress.done:.0f} s"
    return f"{progress.done / 1e6:.0f} of {progress.total / 1e6:.0f} MB"
