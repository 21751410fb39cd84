"""One logic for blocking and asynchronous clients: coroutines, which the blocking client runs without an event loop.

What a coroutine waits for is handed in. Where that answers at once, the coroutine never suspends, and `finish` runs it
to its end.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")


class Waiting(Protocol):
    """How a client waits: for time to pass, for its turn, for what must not be left half done."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""

    def lock(self) -> AbstractAsyncContextManager[Any]:
        """A new lock, held by one task or thread at a time."""

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


class _ThreadLock:
    """A lock between threads in the form of one between tasks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


@dataclass(frozen=True, slots=True)
class Blocking:
    """Waits by blocking the thread; a thread isn't cancelled."""

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def lock(self) -> AbstractAsyncContextManager[Any]:
        """A lock between threads."""
        return _ThreadLock()

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

    def lock(self) -> AbstractAsyncContextManager[Any]:
        """A lock between tasks."""
        return asyncio.Lock()

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


class AtOnce(Generic[ItemT]):
    """What is there already, for `async for`."""

    def __init__(self, items: Iterable[ItemT]) -> None:
        self._items: Iterator[ItemT] = iter(items)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ItemT:
        try:
            return next(self._items)
        except StopIteration:
            raise StopAsyncIteration from None
