"""How requests reach an OpenAI-compatible endpoint: by the blocking client, or by the asynchronous one from a thread.

What to ask, when to ask again and what to make of an answer is the model's, and the same over both.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from hipporag_neo4j.openai_client import open_async_client, open_client

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from contextlib import AbstractContextManager

    from hipporag_neo4j.coroutines import Interruptible
    from hipporag_neo4j.llm.trouble import Endpoint


class Transport(Protocol):
    """Sends requests, to be called from several threads at once. Raises what the openai client raises."""

    def whole(self, request: dict[str, Any]) -> str:
        """The body of the response."""

    def streamed(self, request: dict[str, Any]) -> AbstractContextManager[Any]:
        """The open response: `headers`, `http_request`, `text()`, and `parse()`, which gives the events one by one."""

    def sleep(self, seconds: float) -> None:
        """Wait before another attempt."""

    def close(self) -> None:
        """Close the connections; calls that are under way fail."""


class BlockingTransport:
    """Over `openai.OpenAI`, in the thread that calls."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._client = open_client(endpoint.key, endpoint.address, max_retries=0)

    def whole(self, request: dict[str, Any]) -> str:
        """The body of the response."""
        return self._client.chat.completions.with_raw_response.create(**request).text

    def streamed(self, request: dict[str, Any]) -> AbstractContextManager[Any]:
        """The open response."""
        return self._client.chat.completions.with_streaming_response.create(**request)

    def sleep(self, seconds: float) -> None:
        """Wait before another attempt."""
        time.sleep(seconds)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class LoopTransport:
    """Over `openai.AsyncOpenAI` on an event loop, which other threads call and wait for.

    What a thread waits for is broken off where the `current` piece of work is stopped: the request is cancelled on the
    loop, and the thread gets `Stopped`. Never called in the loop's own thread.
    """

    def __init__(
        self, endpoint: Endpoint, loop: asyncio.AbstractEventLoop, current: Callable[[], Interruptible]
    ) -> None:
        self._client = open_async_client(endpoint.key, endpoint.address, max_retries=0)
        self._loop = loop
        self._current = current

    def whole(self, request: dict[str, Any]) -> str:
        """The body of the response."""
        return str(self._wait_for(self._post(request)).text)

    @contextmanager
    def streamed(self, request: dict[str, Any]) -> Iterator[Any]:
        """The open response."""
        opening = self._client.chat.completions.with_streaming_response.create(**request)
        try:
            yield _Response(self._wait_for(_opened(opening)), self._wait_for)
        finally:  # also where it was opened while the thread was stopped
            asyncio.run_coroutine_threadsafe(opening.__aexit__(None, None, None), self._loop)

    def sleep(self, seconds: float) -> None:
        """Wait before another attempt."""
        self._current().sleep(seconds)

    def close(self) -> None:
        """Close the connections."""
        if not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._client.close(), self._loop).result()

    async def _post(self, request: dict[str, Any]) -> Any:
        return await self._client.chat.completions.with_raw_response.create(**request)

    def _wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._current().wait_for(work, self._loop)


class _Response:
    """A streamed response of the asynchronous client in the form of one of the blocking client."""

    def __init__(self, response: Any, wait_for: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._response = response
        self._wait_for = wait_for
        self.headers = response.headers
        self.http_request = response.http_request

    def text(self) -> str:
        """The whole body."""
        return str(self._wait_for(self._response.text()))

    def parse(self) -> Iterator[Any]:
        """The events as they come."""
        events = aiter(self._wait_for(self._response.parse()))
        while (event := self._wait_for(_next(events))) is not None:
            yield event


async def _opened(opening: Any) -> Any:
    return await opening.__aenter__()


async def _next(events: Any) -> Any:
    return await anext(events, None)
