"""A language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_before_delay

from hipporag_neo4j.access import check_address, read_key, without_password
from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import ConfigurationError, LLMError, ModelError
from hipporag_neo4j.llm import Answer, Listener
from hipporag_neo4j.llm.completion import Completion, read_completion
from hipporag_neo4j.llm.dialect import Dialect, SharedDialect
from hipporag_neo4j.llm.request import chat_request
from hipporag_neo4j.llm.stream import read_stream, read_whole
from hipporag_neo4j.llm.transport import BlockingTransport, Transport
from hipporag_neo4j.llm.trouble import (
    BrokenStreamError,
    Endpoint,
    GarbledResponseError,
    WaitBeforeRetry,
    is_passing,
    refuses_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hipporag_neo4j.settings import Settings


class OpenAIModel:
    """A LanguageModel behind HTTP: POST {base_url}/chat/completions, at temperature 0.

    `backoff` is the wait in seconds before the second attempt; it doubles from one to the next, unless the endpoint
    names a longer one. `transport` opens what requests go through, when the first one is sent. Safe to share between
    threads; the key is in no message, log or repr.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        name: str,
        backoff: float = 0.5,
        transport: Callable[[Endpoint], Transport] = BlockingTransport,
    ) -> None:
        self.name = name
        self._settings = settings
        self._backoff = backoff
        self._endpoint = make_endpoint(settings, name)
        self._dialect = SharedDialect()
        self._lock = threading.Lock()
        self._open = transport
        self._opened: Transport | None = None
        self._closed = False

    @property
    def dialect(self) -> Dialect:
        """What the endpoint has been found to understand so far; `dialect.structure` says how JSON is asked for."""
        return self._dialect.current

    @property
    def identity(self) -> tuple[str, ...]:
        """Name, address, longest answer and temperature; not how JSON is asked for, which each process learns anew."""
        return self.name, without_password(self._endpoint.address), str(self._settings.llm_max_tokens), "0"

    def close(self) -> None:
        """Close the connections; calls that are under way, or come later, fail with LLMError."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The model's answer as a `shape`; see LanguageModel."""
        with self._dialect.call():
            completion = self._complete(messages, shape, listener)
        return read_completion(completion, shape, self._settings.llm_max_tokens)

    def _complete(self, messages: Sequence[Message], shape: type[BaseModel], listener: Listener | None) -> Completion:
        import openai

        dialect = self._dialect.current
        started = time.monotonic()
        streamed = listener is not None
        while True:
            request = chat_request(self.name, messages, shape, dialect, self._settings.llm_max_tokens, stream=streamed)
            try:
                return self._persist(request, started, listener)
            except (openai.OpenAIError, GarbledResponseError, BrokenStreamError) as error:
                other = None
                if refuses_request(error):
                    other = self._dialect.refused(dialect, self._endpoint.complaint(error), stream=streamed)
                if other is None:
                    raise self._translated(error, started) from self._endpoint.cause(error)
                dialect = other

    def _persist(self, body: dict[str, Any], started: float, listener: Listener | None) -> Completion:
        """Send a request until it is answered, the retries are used up or the deadline would pass while waiting.

        An answer that somebody has seen the beginning of is not asked for again.
        """
        ends = started + self._settings.llm_deadline
        retrying = Retrying(
            retry=retry_if_exception(lambda error: is_passing(error) and not (listener and listener.shown)),
            wait=WaitBeforeRetry(self._backoff),
            stop=stop_after_attempt(self._settings.llm_retries + 1) | stop_before_delay(ends - time.monotonic()),
            sleep=self._transport.sleep,
            reraise=True,
        )
        return retrying(self._send, body, ends, listener)

    def _send(self, body: dict[str, Any], ends: float, listener: Listener | None) -> Completion:
        timeout = min(self._settings.llm_timeout, max(ends - time.monotonic(), 1.0))
        request = {"timeout": timeout, **body}
        if listener is None:
            return read_whole(self._transport.whole(request))
        listener.begin()
        with self._transport.streamed(request) as response:
            return read_stream(response, listener.hear, ends)

    def _translated(self, error: Exception, started: float) -> ModelError:
        return self._endpoint.translated(error, seconds=time.monotonic() - started)

    @property
    def _transport(self) -> Transport:
        with self._lock:
            if self._closed:
                raise LLMError(f"The language model {self.name!r} was closed. Make a new one.")
            if self._opened is None:
                self._opened = self._open(self._endpoint)
            return self._opened


def make_endpoint(settings: Settings, name: str) -> Endpoint:
    """The endpoint that the settings name, and a model there. Raises ConfigurationError where they can't be used."""
    key = read_key(settings.openai_api_key, "OPENAI_API_KEY")
    check_address(settings.openai_base_url, "OPENAI_BASE_URL")
    if not key and settings.openai_base_url is None:
        raise ConfigurationError(
            "A language model is set, but neither a key nor an address. Set OPENAI_API_KEY for OpenAI, or "
            "OPENAI_BASE_URL for another server, such as http://localhost:11434/v1."
        )
    return Endpoint(model=name, address=settings.openai_base_url or "https://api.openai.com/v1", key=key)
