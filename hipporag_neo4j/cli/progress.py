"""How far indexing is: bars on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hipporag_neo4j.cli import output

_PERIOD = 10.0
"""Seconds between two lines where nobody watches."""
_MEMORY = 120.0
"""Seconds over which the rate is taken: passages are counted by the batch."""
_READ = "read by the language model"
_WHOLE = ("passages", _READ)


class IndexProgress:
    """Takes the pipeline's reports; `total` passages are to be expected."""

    def __init__(self, console: Console, bars: Progress | None, total: int) -> None:
        self._console = console
        self._bars = bars
        self._total = total
        self._tasks: dict[str, TaskID] = {}
        self._begin = self._told = time.monotonic()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Called by the pipeline with what is being done, how much of it is done, and of how much."""
        if what in _WHOLE:
            total = self._total
        if self._bars is None:
            self._tell(what, done, total)
            return
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what.capitalize(), total=total)
        self._bars.update(self._tasks[what], completed=done, total=total)

    def _tell(self, what: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._told < _PERIOD:
            return
        self._told = now
        of = f" of {total:,}" if total else ""
        self._console.print(f"{what.capitalize()}: {done:,}{of}, after {now - self._begin:.0f} s", soft_wrap=True)


@contextmanager
def index_progress(total: int) -> Iterator[IndexProgress]:
    """Progress on standard error for the time of the context."""
    console = output.stderr()
    if not console.is_terminal:
        yield IndexProgress(console, None, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=_MEMORY) as bars:
        yield IndexProgress(console, bars, total)


@contextmanager
def waiting(message: str) -> Iterator[None]:
    """A spinner beside a message while something takes its time; nothing where nobody watches."""
    console = output.stderr()
    if not console.is_terminal:
        yield
        return
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True) as spinner:
        spinner.add_task(message)
        yield


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        """How many a second."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.0f}/min")
