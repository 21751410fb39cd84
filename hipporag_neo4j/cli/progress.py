"""How far indexing is: bars on a terminal, a line now and then elsewhere."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

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
from hipporag_neo4j.cli.money import duration, money, tokens
from hipporag_neo4j.timing import repeated

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.index_report import Spent

_BEAT = 1.0
_PERIOD = 10.0
"""Seconds between two lines where nobody watches."""
_MEMORY = 120.0
"""Seconds over which the rate is taken: passages are counted by the batch."""
_READ = "read by the language model"
_WHOLE = ("passages", _READ)


class IndexProgress:
    """Takes the pipeline's reports; `total` passages are to be expected."""

    def __init__(
        self, console: Console, bars: Progress | None, total: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._bars = bars
        self._total = total
        self._tasks: dict[str, TaskID] = {}
        self._clock = clock
        self._begin = self._told = clock()
        self._paces: dict[str, _Pace] = {}
        self._last = "Getting ready"
        self._spent = ""
        self._lock = threading.Lock()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Called by the pipeline with what is being done, how much of it is done, and of how much."""
        if what in _WHOLE:
            total = self._total
        if self._bars is None:
            with self._lock:
                self._tell(what, done, total)
            return
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what.capitalize(), total=total, spent="")
        self._bars.update(self._tasks[what], completed=done, total=total)

    def spent(self, spent: "Spent") -> None:
        """Called with what has been spent on the language model, after each passage that it read."""
        parts = [tokens(spent.prompt_tokens, spent.completion_tokens)]
        if spent.cost is not None:
            parts.append(money(spent.cost, spent.currency))
        if spent.from_cache:
            parts.append(f"{output.plural(spent.from_cache, 'answer')} from cache")
        self._spent = ", ".join(parts)
        if self._bars is not None and _READ in self._tasks:
            self._bars.update(self._tasks[_READ], spent=self._spent)

    def _tell(self, what: str, done: int, total: int | None) -> None:
        now = self._clock()
        pace = self._paces.setdefault(what, _Pace(self._begin))
        pace.add(now, done)
        parts = [f"{done:,} of {total:,}" if total else f"{done:,}"]
        self._last = f"{what.capitalize()}: {parts[0]}"
        if now - self._told < pause_after(now - self._begin):
            return
        self._told = now
        if rate := pace.rate:
            parts.append(_rate_text(rate))
            if total and total > done:
                parts.append(f"{duration((total - done) / rate)} left")
        if what == _READ and self._spent:
            parts.append(self._spent)
        parts.append(f"after {now - self._begin:.0f} s")
        self._console.print(f"{what.capitalize()}: {', '.join(parts)}", soft_wrap=True)

    def beat(self) -> None:
        """Called now and then, also while nothing is reported: a line when there has been none for a while."""
        with self._lock:
            now = self._clock()
            if now - self._told >= pause_after(now - self._begin):
                self._told = now
                self._console.print(f"{self._last}, after {now - self._begin:.0f} s", soft_wrap=True)


class _Pace:
    """How fast something goes, over the last two minutes."""

    def __init__(self, begin: float) -> None:
        self._seen = deque([(begin, 0)])

    def add(self, now: float, done: int) -> None:
        """So much is done by now; less than before begins anew, as with the texts of the next batch."""
        if done < self._seen[-1][1]:
            self._seen = deque([(now, done)])
        self._seen.append((now, done))
        while len(self._seen) > 2 and self._seen[1][0] <= now - _MEMORY:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """How many a second; 0 while nobody knows."""
        (begin, before), (now, done) = self._seen[0], self._seen[-1]
        return (done - before) / (now - begin) if now > begin else 0.0


@contextmanager
def index_progress(total: int) -> Iterator[IndexProgress]:
    """Progress on standard error for the time of the context."""
    console = output.stderr()
    if not console.is_terminal:
        progress = IndexProgress(console, None, total)
        with repeated(progress.beat, _BEAT):
            yield progress
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[spent]}"),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=_MEMORY) as bars:
        yield IndexProgress(console, bars, total)


def progress_bars() -> Progress:
    """Bars with how much is done of how much, on a terminal; nothing elsewhere."""
    console = output.stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def waiting(message: str) -> Iterator[None]:
    """A spinner beside a message while something takes its time; where nobody watches, a line now and then."""
    console = output.stderr()
    if not console.is_terminal:
        lines = Lines(message)
        with repeated(lines.beat, _BEAT):
            yield
        return
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True) as spinner:
        spinner.add_task(message)
        yield


class Lines:
    """A message with the time it takes, as a line now and then; none for what is done in ten seconds."""

    def __init__(self, message: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._message = message
        self._clock = clock
        self._begin = self._told = clock()

    def beat(self) -> None:
        """Print the line if there has been none for a while."""
        now = self._clock()
        if now - self._told >= pause_after(now - self._begin):
            self._told = now
            output.tell(f"{self._message}: {now - self._begin:.0f} s")


def pause_after(seconds: float) -> float:
    """Seconds between two lines where nobody watches: ten, but a minute for what takes longer than five."""
    return _PERIOD if seconds <= 5 * 60 else 60.0


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        """How many a second."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(_rate_text(speed))


def _rate_text(speed: float) -> str:
    if speed >= 10:
        return f"{speed:.0f}/s"
    return f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min"
