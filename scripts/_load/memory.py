"""What clients and server hold in memory while the load lasts, and whether it grows."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import psutil

from hipporag_neo4j import local_server
from hipporag_neo4j.database import Database
from hipporag_neo4j.projection import projection_prefix
from hipporag_neo4j.settings import Settings

_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Sample:
    """Megabytes at a moment: of each client process (None where it has ended), of the server's (None where it isn't on
    this machine), of its heap.

    `projections` of the namespace are in the server's memory.
    """

    clients: tuple[float | None, ...]
    server: float | None
    heap: float
    projections: int


class Watch:
    """Takes samples until all clients have ended."""

    def __init__(self, database: Database, settings: Settings, namespace: str) -> None:
        self._database = database
        self._prefix = projection_prefix(namespace)
        running = local_server.find_running(settings) if settings.neo4j_uri is None else None
        self._server = psutil.Process(running.pid) if running else None
        self.samples: list[Sample] = []

    def follow(self, clients: Sequence[int], alive: Callable[[], bool], seconds: float) -> None:
        """A sample every so many seconds, as long as somebody is `alive`."""
        processes = [psutil.Process(pid) for pid in clients]
        while alive():
            self.samples.append(self._sample(processes))
            deadline = time.monotonic() + seconds
            while alive() and time.monotonic() < deadline:
                time.sleep(0.1)

    def _sample(self, clients: Iterable[psutil.Process]) -> Sample:
        rows = self._database.run("projection/list_projections", prefix=self._prefix)
        return Sample(
            tuple(_resident(process) for process in clients),
            _resident(self._server) if self._server else None,
            self._database.run("bench/read_heap")[0]["used"] / _MEGABYTE,
            sum(".building." not in row["graph"] for row in rows),
        )


def _resident(process: psutil.Process) -> float | None:
    try:
        held = process.memory_info().rss
    except psutil.NoSuchProcess:
        return None
    return held / _MEGABYTE if held else None  # nothing is left of one that nobody has waited for yet


@dataclass(frozen=True, slots=True)
class Growth:
    """Megabytes after a third of the time, and in the last third: the lowest of each, since garbage comes and goes."""

    start: float
    end: float

    @property
    def flat(self) -> bool:
        """Whether it grew by less than a tenth, or 20 MB."""
        return self.end <= max(1.1 * self.start, self.start + 20)


def growth(samples: Sequence[float | None]) -> Growth:
    """Of one figure over the samples; the first third is for warming up."""
    values = [value for value in samples if value is not None]
    third = len(values) // 3
    return Growth(min(values[third : 2 * third] or values), min(values[2 * third :] or values))
