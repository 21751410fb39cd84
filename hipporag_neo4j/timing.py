"""How long the stages of a piece of work take, and what is done now and then meanwhile."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stages:
    """Adds up the time spent in named stages; a stage inside another doesn't count for the outer one.

    For the use of one thread; others may ask how much it is so far.
    """

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._begin = time.perf_counter()
        self._inner = 0.0

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        outer_inner, self._inner = self._inner, 0.0
        begin = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - begin
            self._seconds[stage] = self._seconds.get(stage, 0.0) + spent - self._inner
            self._inner = outer_inner + spent

    def seconds(self) -> dict[str, float]:
        """Seconds by stage, and `total` since the beginning."""
        return {**self._seconds, "total": time.perf_counter() - self._begin}

    def milliseconds(self) -> dict[str, float]:
        """Milliseconds by stage, and `total` since the beginning."""
        return {stage: 1000 * seconds for stage, seconds in self.seconds().items()}


@contextmanager
def repeated(call: Callable[[], None], seconds: float, patience: float | None = None) -> Iterator[None]:
    """Calls a function every so many seconds, in a thread, for the time of the context.

    A call under way is waited for at the end, at most `patience` seconds where that is given.
    """
    over = threading.Event()

    def run() -> None:
        while not over.wait(seconds):
            call()

    thread = threading.Thread(target=run, name="repeated", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(patience)
