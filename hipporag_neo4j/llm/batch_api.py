"""The Batch API of an OpenAI-compatible endpoint: files that go up and come down, and batches between them.

Half the price, done within a day: https://platform.openai.com/docs/guides/batch. At most 50,000 requests and 200 MB a
file, all for one model; answers come in any order, in an output file, and what failed in an error file.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from tenacity import Retrying, retry_if_exception, stop_after_attempt

from hipporag_neo4j.answers import excerpt
from hipporag_neo4j.errors import LLMError, ModelError
from hipporag_neo4j.llm.openai_model import make_endpoint
from hipporag_neo4j.llm.stream import transport_errors
from hipporag_neo4j.llm.trouble import Endpoint, GarbledResponseError, WaitBeforeRetry, is_passing
from hipporag_neo4j.openai_client import open_client

if TYPE_CHECKING:
    import openai

    from hipporag_neo4j.settings import Settings

ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_TOKEN = "hipporag_batch"  # nosec B105  # the name of a field
_NAMESPACE = "hipporag_namespace"
_ENDED = ("completed", "failed", "expired", "cancelled")
_TOO_MANY_TOKENS = "token_limit_exceeded"
_LISTED_AT_ONCE = 100
_MOST_LISTED = 2000
"""Batches of an account that are looked through for one that was sent shortly before."""
_SHOWN = 3

ResultT = TypeVar("ResultT")
ModelT = TypeVar("ModelT", bound=BaseModel)


class _File(BaseModel):
    id: str


class _Error(BaseModel):
    code: str | None = None
    line: int | None = None
    message: str | None = None

    @property
    def told(self) -> str:
        return self.message or self.code or "no reason"


class _Errors(BaseModel):
    data: list[_Error] | None = None


class _Counts(BaseModel):
    total: int = 0
    completed: int = 0
    failed: int = 0


class _Batch(BaseModel):
    id: str
    status: str
    errors: _Errors | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: _Counts | None = None
    metadata: dict[str, str] | None = None


class _Page(BaseModel):
    data: list[_Batch]
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as the endpoint tells of it.

    `status` is the endpoint's word. `answered` and `failed` requests are done, of `total`, 0 while they aren't counted.
    `errors` say why a batch failed as a whole; `over_limit`: because too many tokens were queued at the endpoint.
    """

    id: str
    status: str
    total: int = 0
    answered: int = 0
    failed: int = 0
    output_file: str | None = None
    error_file: str | None = None
    errors: tuple[str, ...] = ()
    over_limit: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status in _ENDED


class BatchNotFoundError(LLMError):
    """The endpoint doesn't know a batch, or a file of one, any more."""


class UncertainBatchError(LLMError):
    """Nobody knows whether a batch came to be: the endpoint may have taken it, and its answer was lost."""


class BatchApi:
    """Files and batches of one model. What may pass is tried again, but never `create`, which costs.

    Raises LLMError, LLMAccessError where every further call would fail too, and BatchNotFoundError. The key is in no
    message.
    """

    def __init__(self, settings: Settings, name: str, *, backoff: float = 0.5) -> None:
        self._settings = settings
        self._backoff = backoff
        self._endpoint: Endpoint = make_endpoint(settings, name)
        self._lock = threading.Lock()
        self._opened: openai.OpenAI | None = None

    def __str__(self) -> str:
        return str(self._endpoint)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def hide(self, text: str) -> str:
        """What the endpoint says, without the key, which it may repeat."""
        return self._endpoint.secrets.hide(text)

    def upload(self, path: Path) -> str:
        """Send a file of requests; its id at the endpoint."""

        def send() -> str:
            with path.open("rb") as file:
                response = self._client.files.with_raw_response.create(file=file, purpose="batch")
            return _read(response.text, _File).id

        return self._persist(send, "take a file of requests")

    def create(self, file: str, *, token: str, namespace: str) -> BatchState:
        """Have a file's requests answered. `token` is kept with the batch, so that `find` knows it again.

        Raises UncertainBatchError where it may have been created all the same.
        """

        def create() -> BatchState:
            response = self._client.batches.with_raw_response.create(
                input_file_id=file,
                endpoint=ENDPOINT,
                completion_window="24h",
                metadata={_TOKEN: token, _NAMESPACE: namespace},
            )
            return self._state(_read(response.text, _Batch))

        return self._persist(create, "take a batch", once=True)

    def retrieve(self, batch: str) -> BatchState:
        """How a batch is now."""
        batches = self._client.batches.with_raw_response
        return self._persist(
            lambda: self._state(_read(batches.retrieve(batch).text, _Batch)), "tell of a batch", known=batch
        )

    def cancel(self, batch: str) -> BatchState:
        """Stop a batch; what it has answered by then is billed, and can be collected."""
        batches = self._client.batches.with_raw_response
        return self._persist(
            lambda: self._state(_read(batches.cancel(batch).text, _Batch)), "cancel a batch", known=batch
        )

    def find(self, tokens: Collection[str]) -> dict[str, BatchState]:
        """The batches that were created with some of these tokens, by token; looks through the account's newest."""
        found: dict[str, BatchState] = {}
        seen, last = 0, None
        while seen < _MOST_LISTED and len(found) < len(tokens):
            page = self._persist(partial(self._list, last), "list its batches")
            for batch in page.data:
                if (token := (batch.metadata or {}).get(_TOKEN)) is not None and token in tokens:
                    found[token] = self._state(batch)
            if not page.data or not page.has_more:
                break
            seen, last = seen + len(page.data), page.data[-1].id
        return found

    def download(self, file: str, path: Path) -> None:
        """Fetch a file of answers."""

        def fetch() -> None:
            with self._client.files.with_streaming_response.content(file) as response:
                response.stream_to_file(path)

        self._persist(fetch, "hand out a file of answers", known=file)

    def _list(self, after: str | None) -> _Page:
        batches = self._client.batches.with_raw_response
        if after is None:
            return _read(batches.list(limit=_LISTED_AT_ONCE).text, _Page)
        return _read(batches.list(limit=_LISTED_AT_ONCE, after=after).text, _Page)

    def _persist(
        self, call: Callable[[], ResultT], what: str, *, once: bool = False, known: str | None = None
    ) -> ResultT:
        """Call until it succeeds or the retries are used up. `known` is a batch or file that should be there."""
        retrying = Retrying(
            retry=retry_if_exception(lambda error: is_passing(error) or _broke_off(error)),
            wait=WaitBeforeRetry(self._backoff),
            stop=stop_after_attempt(1 if once else self._settings.llm_retries + 1),
            reraise=True,
        )
        failures: tuple[type[Exception], ...] = (GarbledResponseError, *transport_errors())
        started = time.monotonic()
        try:
            return retrying(call)
        except failures as error:
            translated = self._translated(error, what, known, time.monotonic() - started)
            if once and not _is_no(error):
                translated = UncertainBatchError(
                    f"{translated} The batch may have been created all the same: `hipporag-neo4j index --resume` looks."
                )
            raise translated from self._endpoint.cause(error)

    def _state(self, batch: _Batch) -> BatchState:
        counts = batch.request_counts or _Counts()
        errors = (batch.errors.data if batch.errors else None) or []
        said = [
            f"line {error.line}: {self.hide(error.told)}" if error.line else self.hide(error.told) for error in errors
        ]
        return BatchState(
            id=batch.id,
            status=batch.status,
            total=counts.total,
            answered=counts.completed,
            failed=counts.failed,
            output_file=batch.output_file_id,
            error_file=batch.error_file_id,
            errors=(*said[:_SHOWN], *([f"and {len(said) - _SHOWN:,} more"] if len(said) > _SHOWN else [])),
            over_limit=any(error.code == _TOO_MANY_TOKENS for error in errors),
        )

    def _translated(self, error: Exception, what: str, known: str | None, seconds: float) -> ModelError:
        import openai

        if isinstance(error, openai.APIStatusError):
            said = self._endpoint.complaint(error).rstrip(".")
            if error.status_code in (404, 405) and known is None:
                return LLMError(
                    f"{self} can't {what} ({error.status_code}): {said}. It seems to have no Batch API: leave --batch "
                    "out, and the passages are read by single calls."
                )
            if error.status_code == 404:
                return BatchNotFoundError(
                    f"{self} doesn't know {known!r} ({said}). It was deleted there, or belongs to another account than "
                    "OPENAI_API_KEY's. Set that key, or give the batch up: `hipporag-neo4j batch cancel`."
                )
            if error.status_code in (400, 409, 413, 422):
                return LLMError(f"{self} doesn't {what} ({error.status_code}): {said}.")
        if isinstance(error, openai.APIError):
            return self._endpoint.translated(error, seconds=seconds)
        why = excerpt(self._endpoint.secrets.hide(str(error))) or type(error).__name__
        if isinstance(error, GarbledResponseError):
            return LLMError(
                f"{self} answered with something that is of no Batch API when it should {what}: {why}. Check "
                "OPENAI_BASE_URL, or leave --batch out, and the passages are read by single calls."
            )
        return LLMError(f"{self} broke off when it should {what}: {why}. Run the same command again.")

    @property
    def _client(self) -> openai.OpenAI:
        with self._lock:
            if self._opened is None:
                self._opened = open_client(
                    self._endpoint.key, self._endpoint.address, timeout=self._settings.llm_timeout, max_retries=0
                )
            return self._opened


def _broke_off(error: BaseException) -> bool:
    """Whether a transfer broke off below the client, which translates its own errors."""
    import openai

    return isinstance(error, transport_errors()) and not isinstance(error, openai.APIError)


def _is_no(error: Exception) -> bool:
    """Whether the endpoint said that it did nothing."""
    import openai

    return isinstance(error, openai.APIStatusError) and error.status_code < 500


def _read(text: str, model: type[ModelT]) -> ModelT:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise GarbledResponseError(excerpt(text)) from error
