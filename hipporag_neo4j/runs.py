"""What runs have done in a namespace, as the graph remembers them, and what they cost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.llm.usage import CallUsage

BEAT = 5.0
"""Seconds after which a run that goes on says so in the graph."""
LOST_AFTER = 60.0
"""Seconds without such a sign after which a run counts as lost."""
_MEASURED = 50
"""The latest runs that worked, whose figures tell what later ones will take."""

_MOST_RUNS = 10_000

RunState = Literal["running", "finished", "stopped", "broken off", "lost"]
"""`stopped`: it ended at its budget. `broken off`: by an error or Ctrl-C. `lost`: its client was killed, or can't reach
the server: it wasn't heard of for a minute."""
_STAGE = "seconds_"


@dataclass(frozen=True, slots=True)
class BatchSpent:
    """What the batches cost whose answers a run wrote; `cost` at the price of batches, None unless all had a price."""

    batches: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str | None
    price_date: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run; `silent` seconds have passed on the server since it was last heard of.

    `figures` are its own: see the `figures` of IndexReport and DeleteReport. `seconds` by stage, `total` among them.
    `batch` is what its answers had cost in batches before, None where it followed none; it is no part of `figures`.
    """

    id: str
    kind: str
    state: RunState
    started: datetime | None
    recorded: datetime
    silent: float
    seconds: Mapping[str, float]
    calls: tuple[CallUsage, ...]
    figures: Mapping[str, Any]
    batch: BatchSpent | None = None

    @property
    def per_minute(self) -> float | None:
        """Passages written a minute, None where none was."""
        written, total = self.figures.get("written"), self.seconds.get("total")
        return 60 * written / total if written and total else None


@dataclass(frozen=True, slots=True)
class TotalSpent:
    """What all runs and batches of a namespace have spent on one model: tokens, and money where its price was known at
    the time.

    A batch counts from when its answers are collected, each once. `unpriced_tokens` are those of runs and batches that
    had no price.
    """

    model: str
    runs: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    currency: str | None
    unpriced_tokens: int
    batches: int = 0


def list_runs(database: Database, namespace: str, limit: int) -> tuple[Run, ...]:
    """The latest `limit` runs, the last one first. Raises InputError for a limit that is none."""
    if not isinstance(limit, int) or not 0 <= limit <= _MOST_RUNS:
        raise InputError(f"The limit is {limit!r}; take 0 to {_MOST_RUNS:,} runs.")
    return _with_batches(database, namespace, database.run("runs/list_runs", namespace=namespace, limit=limit))


def working_runs(database: Database, namespace: str) -> tuple[Run, ...]:
    """The latest 50 runs that wrote passages or asked a language model, the last one first; `batch` is left out."""
    rows = database.run("runs/list_working_runs", namespace=namespace, limit=_MEASURED)
    return tuple(_run(row, None) for row in rows)


def read_run(database: Database, namespace: str, run: str) -> Run:
    """One run, by its id or the beginning of it. Raises InputError unless there is exactly one."""
    rows = database.run("runs/find_run", namespace=namespace, run=run)
    if not rows:
        raise InputError(
            f"The namespace {namespace!r} remembers no run {run!r}. `hipporag-neo4j runs --namespace {namespace}` "
            "lists the latest."
        )
    if len(rows) > 1 and rows[0]["run"]["id"] != run:
        found = ", ".join(row["run"]["id"] for row in rows[:5])
        raise InputError(
            f"Several runs of the namespace {namespace!r} begin with {run!r}: {found}. Give more of the id."
        )
    return _with_batches(database, namespace, rows[:1])[0]


def total_spent(database: Database, namespace: str) -> Sequence[TotalSpent]:
    """What all runs and batches of a namespace have spent, by model and currency."""
    return [TotalSpent(**row) for row in database.run("runs/sum_spent", namespace=namespace)]


def _with_batches(database: Database, namespace: str, rows: Sequence[Row]) -> tuple[Run, ...]:
    """The runs in rows, with what batches before them had cost."""
    runs = [row["run"]["id"] for row in rows]
    sums = database.run("runs/sum_batches", namespace=namespace, runs=runs) if runs else []
    batches = {row.pop("run"): BatchSpent(**row) for row in sums}
    return tuple(_run(row, batches.get(run)) for run, row in zip(runs, rows, strict=True))


def _run(row: Row, batch: BatchSpent | None) -> Run:
    figures = dict(row["run"])
    seconds = {name.removeprefix(_STAGE): figures.pop(name) for name in sorted(figures) if name.startswith(_STAGE)}
    seconds["total"] = figures.pop("seconds", 0.0)
    started = figures.pop("started", None)
    calls = json.loads(figures.pop("calls", "[]"))
    if (date := figures.get("price_date")) is not None:
        figures["price_date"] = date.iso_format()
    silent = row["silent"]
    return Run(
        id=figures.pop("id"),
        kind=figures.pop("kind", "index"),
        state=_state(figures.pop("state"), figures.get("stopped"), silent),
        started=started.to_native() if started is not None else None,
        recorded=figures.pop("recorded").to_native(),
        silent=silent,
        seconds=seconds,
        calls=tuple(CallUsage(**usage) for usage in calls),
        figures=figures,
        batch=batch,
    )


def _state(recorded: RunState, stopped: str | None, silent: float) -> RunState:
    if recorded == "running" and silent > LOST_AFTER:
        return "lost"
    return "stopped" if recorded == "finished" and stopped else recorded
