"""What each run did is kept in the graph, and how far it is while it runs."""

import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Protocol

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import DatabaseError
from hipporag_neo4j.runs import BEAT
from hipporag_neo4j.schema import unless_deleted
from hipporag_neo4j.timing import Stages, repeated

_KEPT = 1000
"""The latest runs that cost nothing are kept; those that did cost something are kept all."""
_PATIENCE = 5.0
"""Seconds to wait for the last sign of life: nobody who presses Ctrl-C should wait for a server that is gone."""


class Report(Protocol):
    """The figures of a run."""

    run: str
    seconds: dict[str, float]

    def figures(self) -> Mapping[str, object]:
        """What is kept of them; called by another thread while the run goes on."""


def new_run() -> str:
    """A name for a run: when it began, and something that no other run has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"


@contextmanager
def recorded(database: Database, namespace: str, report: Report) -> Iterator[Stages]:
    """A run, as long as the block takes: recorded when it begins, every few seconds, and when it ends or breaks off."""
    stages = Stages()

    def figures() -> dict[str, object]:
        seconds = stages.seconds()
        by_stage = {f"seconds_{stage}": taken for stage, taken in seconds.items() if stage != "total"}
        return {**report.figures(), **by_stage, "seconds": seconds["total"], "peak_memory": peak_memory()}

    def record(state: str) -> None:
        kept = {**figures(), "state": state}
        unless_deleted(lambda: database.run("indexing/record_run", namespace=namespace, run=report.run, figures=kept))

    def tell() -> None:
        # The run itself will meet what is wrong with the database.
        with suppress(DatabaseError):
            database.run("indexing/beat_run", namespace=namespace, run=report.run, figures=figures())

    record("running")
    try:
        with repeated(tell, BEAT, _PATIENCE):
            yield stages
    except BaseException:
        report.seconds = stages.seconds()
        with suppress(DatabaseError):  # what went wrong first is what is told
            record("broken off")
        raise
    report.seconds = stages.seconds()
    record("finished")
    database.run("indexing/forget_runs", namespace=namespace, kept=_KEPT)


def peak_memory() -> int | None:
    """The most bytes of memory that this process has held so far; None on Windows, which doesn't say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
