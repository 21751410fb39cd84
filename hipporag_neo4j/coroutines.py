"""One logic for blocking and asynchronous clients: coroutines, which the blocking client runs without an event loop.

What a coroutine waits for is handed in. Where that answers at once, the coroutine never suspends, and `finish` runs it
to its end.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

ResultT = TypeVar("ResultT")


class Waiting(Protocol):
    """How a client waits: for time to pass, and for what must not be left half done."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""

    async def whole(
        self, work: Coroutine[Any, Any, ResultT], undo: Callable[[ResultT], Awaitable[object]] | None = None
    ) -> ResultT:
        """The result of `work`, which is not broken off where the caller is cancelled.

        The caller hears of its cancellation when the work has ended, and `undo` has taken the result back: nobody else
        would know of it.
        """


def finish(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine that never suspends to its end. Raises RuntimeError if it does suspend."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: ResultT = end.value
        return result
    coroutine.close()
    raise RuntimeError("The coroutine waited for something: it is not over what answers at once.")


@dataclass(frozen=True, slots=True)
class Blocking:
    """Waits by blocking the thread; a thread isn't cancelled."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    async def whole(
        self, work: Coroutine[Any, Any, ResultT], undo: Callable[[ResultT], Awaitable[object]] | None = None
    ) -> ResultT:
        """The result of `work`."""
        return await work


@dataclass(frozen=True, slots=True)
class OnLoop:
    """Waits on the event loop that runs."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def whole(
        self, work: Coroutine[Any, Any, ResultT], undo: Callable[[ResultT], Awaitable[object]] | None = None
    ) -> ResultT:
        """The result of `work`, at the cancellation of the caller undone."""
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await until_done(task)
            if undo is not None and not task.cancelled() and task.exception() is None:
                await until_done(asyncio.ensure_future(_awaited(undo, task.result())))
            raise


BLOCKING: Waiting = Blocking()
ON_LOOP: Waiting = OnLoop()


async def _awaited(call: Callable[[ResultT], Awaitable[object]], result: ResultT) -> None:
    await call(result)


async def until_done(task: "asyncio.Future[Any]") -> None:
    """Wait for a task to end, well or not, however often the waiting one is cancelled: that is told already."""
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            continue
    if not task.cancelled():
        task.exception()  # looked at, so that nobody is told that it wasn't


class Stopped(BaseException):
    """The task that waits for what a thread does was cancelled."""


class Interruptible:
    """A piece of work in a thread, which somebody else may stop where it waits."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._awaited: set[Future[Any]] = set()

    @classmethod
    def current(cls) -> "Interruptible":
        """That of the thread that calls; in a thread without one, one that nobody stops."""
        return _current.get() or cls()

    def run(self, work: Callable[[], ResultT]) -> ResultT:
        """The result of `work`, during which this is the thread's current piece of work."""
        token = _current.set(self)
        try:
            return work()
        except StopIteration as error:  # no future can hold it, so who waits would wait for ever
            raise RuntimeError("What ran in a thread raised StopIteration.") from error
        finally:
            _current.reset(token)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Break off what it waits for; it doesn't wait for anything again."""
        self._stopped.set()
        with self._lock:
            for future in self._awaited:
                future.cancel()

    def check(self) -> None:
        """Raises Stopped where it was stopped."""
        if self.stopped:
            raise Stopped

    def sleep(self, seconds: float) -> None:
        """Let time pass. Raises Stopped."""
        self._stopped.wait(seconds)
        self.check()

    def wait_for(self, work: Coroutine[Any, Any, ResultT], loop: asyncio.AbstractEventLoop) -> ResultT:
        """The result of a coroutine on the loop of another thread. Raises Stopped, when the coroutine is cancelled."""
        future = asyncio.run_coroutine_threadsafe(work, loop)
        with self._lock:
            self._awaited.add(future)
        try:
            if self.stopped:
                future.cancel()
            return future.result()
        except CancelledError:
            raise Stopped from None
        finally:
            with self._lock:
                self._awaited.discard(future)


_current: ContextVar[Interruptible | None] = ContextVar("current", default=None)
