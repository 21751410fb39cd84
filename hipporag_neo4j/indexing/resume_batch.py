"""Resuming a job of batches: from which source, once or until it is done."""

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.batch_job import BatchJob, BatchProgress
from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
from hipporag_neo4j.indexing.open_source import Source, open_source

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0

OnProgress = Callable[[BatchProgress], None]
"""Called with how far the job is, each time the endpoint was asked."""


def source_of(job: BatchJob, given: Source | None) -> Source:
    """The source that is given, else the one that the job under way remembers; passages can be read from it again.

    Raises InputError where no job is under way, it remembers no source, or that isn't on this machine.
    """
    if given is not None:
        return given if isinstance(given, Path | str) else tuple(given)
    remembered = job.source()
    if remembered is None:
        raise InputError("The batch under way was made from passages in Python: give them again to resume it.")
    if not Path(remembered).exists():
        raise InputError(
            f"The batch under way was made from {remembered}, which isn't there on this machine. Name the source: "
            "`hipporag-neo4j index SOURCE --resume`."
        )
    return Path(remembered)


def advance_job(
    job: BatchJob,
    source: Source,
    *,
    wait: bool,
    on_progress: OnProgress | None = None,
) -> BatchProgress:
    """Collect what has ended and send what comes next, once; with `wait` until nothing is left to ask.

    Passages that can't be used are left out, since the run that follows tells of them. Raises what `BatchJob.advance`
    raises.
    """
    for pause in _pauses():
        progress = job.advance(readable(job, source))
        if on_progress is not None:
            on_progress(progress)
        if not wait or progress.state in ("ready", "cancelled"):
            return progress
        time.sleep(pause)
    raise AssertionError("pauses have no end")


def readable(job: BatchJob, source: Source) -> DistinctPassages[Passage]:
    """The passages of a source that can be used."""
    return open_source(source, size=job.settings.passage_size, on_problem=lambda error: None, may_be_empty=True)


def _pauses() -> Iterator[float]:
    """Seconds until the endpoint is asked again: short ones first, for small batches, then a minute each."""
    return (min(_FIRST_PAUSE * 1.5**count, _LONGEST_PAUSE) for count in itertools.count())
