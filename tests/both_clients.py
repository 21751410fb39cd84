"""The blocking client, and the asynchronous one in its place, so that the same tests run against both."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from hipporag_neo4j.domain import AnswerResult, RetrievalResult
from hipporag_neo4j.explanation import Explanation
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings

ResultT = TypeVar("ResultT")


class AwaitedHippoRAG(HippoRAG):
    """A HippoRAG whose questions an AsyncHippoRAG answers, on an event loop in another thread."""

    def __init__(self, settings: Settings, **given: Any) -> None:
        super().__init__(settings, **given)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = AsyncHippoRAG(settings, **given)

    def close(self) -> None:
        """Close both clients, and end the loop."""
        self._awaited(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        super().close()

    def retrieve(self, *args: Any, **given: Any) -> RetrievalResult:
        """As the asynchronous client finds it."""
        return self._awaited(self._client.retrieve(*args, **given)).explained_by(self.explain)

    def explain(self, *args: Any, **given: Any) -> Explanation:
        """As the asynchronous client explains it."""
        return self._awaited(self._client.explain(*args, **given))

    def answer(self, *args: Any, **given: Any) -> AnswerResult:
        """As the asynchronous client answers."""
        return self._awaited(self._client.answer(*args, **given))

    def _awaited(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


BOTH = (pytest.param(HippoRAG, id="blocking"), pytest.param(AwaitedHippoRAG, id="asynchronous"))
