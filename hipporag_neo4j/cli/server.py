"""`hipporag-neo4j server …`: the local Neo4j server."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import interrupts, output
from hipporag_neo4j.cli.options import AsJson, DataDir, make_settings
from hipporag_neo4j.cli.progress import pause_after, waiting

if TYPE_CHECKING:
    from rich.console import Console

    from hipporag_neo4j.local_server import OnProgress, Progress, ServerStatus

server_app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="A Neo4j server with Graph Data Science on this machine, for trial and tests. Needs neither Java nor Docker.",
    short_help="The local Neo4j server, for trial and tests.",
)

CacheDir = Annotated[
    Path | None,
    typer.Option(envvar="HIPPORAG_CACHE_DIR", help="Folder of the server's program files.", show_default=False),
]

_STAGES = {
    "queue": "Waiting for another start of the server",
    "verify": "Checking the server's files",
    "fetch": "Fetching the server",
    "start": "Waiting for Neo4j",
    "recover": "Waiting for Neo4j, which recovers its data",
}
_COUNTED = ("verify", "fetch")
"""Stages that count bytes; how long the others take, nobody knows."""


@server_app.command()
def start(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port on 127.0.0.1; else 7687, or a free one.")
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(
            help="Password, instead of a random one. Safer in the variable HIPPORAG_SERVER_PASSWORD, where no list of "
            "processes shows it.",
        ),
    ] = None,
    heap: Annotated[
        str | None, typer.Option(help="Java heap, like 512m or 2g; else a quarter of the memory, at most 3g.")
    ] = None,
    page_cache: Annotated[str | None, typer.Option(help="Neo4j's page cache, like 128m or 1g.")] = None,
    timeout: Annotated[
        float,
        typer.Option(min=1, help="Seconds to wait while the server's logs stand still; it is left running then."),
    ] = 180.0,
    reset_password: Annotated[
        bool,
        typer.Option(
            "--reset-password",
            help="The password is lost: give the data a new one. The graphs stay; other users and roles go.",
        ),
    ] = False,
    data_dir: DataDir = None,
    cache_dir: CacheDir = None,
    as_json: AsJson = False,
) -> None:
    """Start the server; the first time, fetch it (186 MB). It goes on running when this command has ended."""
    from hipporag_neo4j import local_server

    settings = make_settings(data_dir=data_dir, cache_dir=cache_dir, server_password=password)
    options = local_server.ServerOptions(
        port=port, heap=heap, page_cache=page_cache, timeout=timeout, reset_password=reset_password
    )
    with shown_progress(output.stderr()) as on_progress:
        report = local_server.start(settings, options, on_progress)
    if as_json:
        output.print_json(
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
        output.warn(note)
    found = "The server runs already" if report.already_running else f"The server is up after {report.seconds:.0f} s"
    output.tell(f"{found}: {report.server.uri}, user {report.server.username}, process {report.server.pid}.")
    output.tell("Other commands find it by themselves.")
    output.tell("Password: hipporag-neo4j server status --show-password")
    output.tell("End it:   hipporag-neo4j server stop")


@server_app.command()
def stop(
    timeout: Annotated[float, typer.Option(min=0, help="Seconds until a server that does not end is killed.")] = 60.0,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Stop the server. Its data stay."""
    from hipporag_neo4j import local_server

    with waiting("Stopping the server"):
        report = local_server.stop(make_settings(data_dir=data_dir), timeout=timeout)
    if as_json:
        output.print_json({"outcome": report.outcome, "pid": report.pid, "seconds": round(report.seconds, 3)})
    if report.outcome == "not running":
        output.tell("No server was running.")
    elif report.outcome == "stopped":
        output.tell(f"The server (process {report.pid}) has stopped after {report.seconds:.0f} s.")
    else:
        output.warn(
            f"The server (process {report.pid}) did not stop within {timeout:.0f} s and was killed. Neo4j recovers its "
            "data at the next start."
        )


@server_app.command()
def status(
    show_password: Annotated[bool, typer.Option("--show-password", help="Show the password, too.")] = False,
    data_dir: DataDir = None,
    cache_dir: CacheDir = None,
    as_json: AsJson = False,
) -> None:
    """Say whether the server runs, where, and what it takes."""
    from hipporag_neo4j import local_server

    found = local_server.status(make_settings(data_dir=data_dir, cache_dir=cache_dir))
    if as_json:
        output.print_json(_status_values(found, show_password=show_password))
        return
    for name, value in _status_lines(found, show_password=show_password):
        typer.echo(f"{name:<9} {value if name == 'password' else output.clean(value)}")
    if found.problem:
        output.warn(found.problem)


@server_app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many of the last lines to show.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines until Ctrl-C.")] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show what the server printed."""
    from hipporag_neo4j import local_server

    if as_json and follow:
        raise typer.BadParameter("--json shows a log once: leave out --follow.")
    settings = make_settings(data_dir=data_dir)
    shown = local_server.read_log(settings, lines)
    if as_json:
        output.print_json({"lines": shown})
        return
    for line in shown:
        typer.echo(output.clean(line))
    if follow:
        with interrupts.expected():
            for line in local_server.follow_log(settings):
                typer.echo(output.clean(line))


def _status_values(found: "ServerStatus", *, show_password: bool) -> dict[str, Any]:
    from dataclasses import asdict

    values = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(found).items()}
    del values["password"]
    if show_password:
        values["password"] = None if found.password is None else found.password.get_secret_value()
    return values


def _status_lines(found: "ServerStatus", *, show_password: bool) -> Iterator[tuple[str, str]]:
    from datetime import datetime

    explained = {
        "running": "running",
        "starting": "starting, or recovering its data; hipporag-neo4j server start waits for it",
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
def shown_progress(console: "Console") -> "Iterator[OnProgress]":
    """A bar for each stage of a start as it comes; where nobody watches, a line now and then."""
    if not console.is_terminal:
        yield _Lines()
        return
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"), TimeElapsedColumn())
    with Bars(*columns, console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def on_progress(progress: "Progress") -> None:
            if progress.stage not in tasks:
                total = progress.total if progress.stage in _COUNTED else None
                tasks[progress.stage] = bars.add_task(_STAGES[progress.stage], total=total, done="")
            bars.update(tasks[progress.stage], completed=progress.done, done=_amount(progress))

        yield on_progress


class _Lines:
    """Progress as plain lines: one when a stage begins, then one now and then."""

    def __init__(self) -> None:
        self._stage = ""
        self._begin = self._told = time.monotonic()

    def __call__(self, progress: "Progress") -> None:
        now = time.monotonic()
        if progress.stage != self._stage or now - self._told >= pause_after(now - self._begin):
            self._stage, self._told = progress.stage, now
            output.tell(f"{_STAGES[progress.stage]}: {_amount(progress)}")


def _amount(progress: "Progress") -> str:
    if progress.stage not in _COUNTED:
        return f"{progress.done:.0f} s"
    return f"{progress.done / 1e6:.0f} of {progress.total / 1e6:.0f} MB"
