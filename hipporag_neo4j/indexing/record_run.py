"""What each run did is kept in the graph."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Protocol

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import DatabaseError
from hipporag_neo4j.schema import unless_deleted
from hipporag_neo4j.timing import Stages


class Report(Protocol):
    """The figures of a run."""

    run: str
    seconds: dict[str, float]

    def figures(self) -> Mapping[str, object]:
        """What is kept of them."""


def new_run() -> str:
    """A name for a run: when it began, and something that no other run has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"


@contextmanager
def recorded(database: Database, namespace: str, report: Report) -> Iterator[Stages]:
    """A run, as long as the block takes: recorded when it begins, and when it is finished or broken off."""

    def record(state: str) -> None:
        kept = {**report.figures(), "state": state, "recorded": datetime.now(UTC)}
        unless_deleted(
            lambda: database.run("indexing/record_run", namespace=namespace, run=report.run, figures=kept)
        )

    stages = Stages()
    record("running")
    try:
        yield stages
    except BaseException:
        report.seconds = stages.seconds()
        with suppress(DatabaseError):  # what went wrong first is what is told
            record("broken off")
        raise
    report.seconds = stages.seconds()
    record("finished")
