"""Embeddings by any OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ValidationError

from hipporag_neo4j.access import Secrets, check_address, read_key, without_password
from hipporag_neo4j.embedding.protocol import check_vectors, refuse_broken_unicode
from hipporag_neo4j.errors import ConfigurationError, EmbeddingError
from hipporag_neo4j.openai_client import open_client

if TYPE_CHECKING:
    import openai
    from numpy.typing import NDArray

    from hipporag_neo4j.settings import Settings


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Item]


def make_endpoint_embedder(settings: Settings) -> EndpointEmbedder:
    """The embedder behind `embedding_base_url`, else `OPENAI_BASE_URL`, else OpenAI itself.

    Raises ConfigurationError when neither a key nor an address is set, or one of them can't be used.
    """
    url, url_from = settings.embedding_base_url, "HIPPORAG_EMBEDDING_BASE_URL"
    if not url:
        url, url_from = settings.openai_base_url or None, "OPENAI_BASE_URL"
    secret, key_from = settings.embedding_api_key, "HIPPORAG_EMBEDDING_API_KEY"
    if not secret:
        secret, key_from = settings.openai_api_key, "OPENAI_API_KEY"
    check_address(url, url_from)
    key = read_key(secret, key_from)
    if url is None and not key:
        raise ConfigurationError(
            "The embedding provider is 'openai', but neither a key nor an address is set. Set OPENAI_API_KEY for "
            "OpenAI, or HIPPORAG_EMBEDDING_BASE_URL for another server, such as http://localhost:11434/v1."
        )
    return EndpointEmbedder(
        settings.embedding_model,
        base_url=url,
        api_key=key,
        batch_size=settings.embedding_batch_size,
        timeout=settings.embedding_timeout,
        retries=settings.embedding_retries,
    )


class EndpointEmbedder:
    """An Embedder behind HTTP: POST {base_url}/embeddings.

    The empty text is sent as a single space, because OpenAI refuses an empty one. `timeout` is in seconds an attempt;
    failures that may pass (no connection, 408, 409, 429, 5xx) are tried again `retries` times, after longer waits.
    Neither the key nor a password in the address is in any message.
    """

    def __init__(
        self, name: str, *, base_url: str | None, api_key: str, batch_size: int, timeout: float, retries: int
    ) -> None:
        self.name = name
        self._base_url = base_url
        self._api_key = api_key
        self._secrets = Secrets.of(api_key, base_url)
        self._batch_size = batch_size
        self._timeout = timeout
        self._retries = retries
        self._length: int | None = None
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of every vector: that of the first one received; a short text is sent if none was."""
        if self._length is None:
            self._embed_batch(["dimensions"], "a first text")
        assert self._length is not None
        return self._length

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' vectors, shape (len(texts), dimensions), asked for in batches."""
        refuse_broken_unicode(texts)
        blocks = []
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            blocks.append(self._embed_batch(batch, f"texts {start + 1} to {start + len(batch)} of {len(texts)}"))
        return np.concatenate(blocks) if blocks else np.empty((0, self.dimensions), dtype=np.float32)

    def _embed_batch(self, texts: Sequence[str], which: str) -> NDArray[np.float32]:
        source = f"The model {self.name!r} at {self._place}"
        rows = _in_order(self._ask(texts, which), len(texts), source)
        lengths = sorted({len(row) for row in rows})
        if len(lengths) > 1:
            raise EmbeddingError(f"{source} returned vectors of different lengths for {which}: {lengths}.")
        vectors = np.array(rows, dtype=np.float32)
        with self._lock:
            check_vectors(vectors, count=len(texts), dimensions=self._length, source=source)
            self._length = vectors.shape[1]
        return vectors

    def _ask(self, texts: Sequence[str], which: str) -> _Answer:
        import openai

        source = f"The embeddings endpoint {self._place} (model {self.name!r})"
        try:
            response = self._client.embeddings.with_raw_response.create(
                model=self.name, input=[text or " " for text in texts], encoding_format="float"
            )
        except openai.APITimeoutError as error:
            raise EmbeddingError(
                f"{source} didn't answer for {which} within {self._timeout:g} s, in {self._retries + 1} attempts. "
                "Set HIPPORAG_EMBEDDING_TIMEOUT higher or HIPPORAG_EMBEDDING_BATCH_SIZE lower."
            ) from self._secrets.cause(error)
        except openai.APIConnectionError as error:
            why = self._secrets.hide(str(error.__cause__ or error))
            raise EmbeddingError(
                f"{source} can't be reached: {why}. Is HIPPORAG_EMBEDDING_BASE_URL (or OPENAI_BASE_URL) right, and the "
                "server running?"
            ) from self._secrets.cause(error)
        except openai.APIStatusError as error:
            said = self._secrets.hide(error.message).rstrip(".")
            raise EmbeddingError(
                f"{source} answered {which} with status {error.status_code}: {said}. {_advice(error)}"
            ) from self._secrets.cause(error)
        except openai.OpenAIError as error:
            raise EmbeddingError(
                f"{source} failed on {which}: {self._secrets.hide(str(error))}."
            ) from self._secrets.cause(error)
        try:
            return _Answer.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the answer"
            said = self._secrets.hide(response.text)[:200]
            raise EmbeddingError(
                f"{source} answered {which} with something that isn't a list of embeddings ({place}: {first['msg']}): "
                f"{said!r}. Does the address end in /v1 or as the server wants it?"
            ) from self._secrets.cause(error)

    @property
    def _place(self) -> str:
        return without_password(str(self._client.base_url))

    @cached_property
    def _client(self) -> openai.OpenAI:
        client = open_client(self._api_key, self._base_url, timeout=self._timeout, max_retries=self._retries)
        # Connections are kept between calls and closed with the embedder.
        weakref.finalize(self, client.close)
        return client


def _in_order(answer: _Answer, count: int, source: str) -> list[list[float]]:
    """The vectors by `index`; EmbeddingError unless every text has exactly one."""
    if len(answer.data) != count:
        raise EmbeddingError(f"{source} returned {len(answer.data)} vectors for {count} texts.")
    items = sorted(answer.data, key=lambda item: item.index)
    indexes = [item.index for item in items]
    if indexes != list(range(count)):
        raise EmbeddingError(f"{source} numbered its {count} vectors {indexes[:10]}, not 0 to {count - 1}.")
    return [item.embedding for item in items]


def _advice(error: openai.APIStatusError) -> str:
    if error.status_code in (401, 403):
        return "Check HIPPORAG_EMBEDDING_API_KEY or OPENAI_API_KEY."
    if error.status_code == 404:
        return "Check HIPPORAG_EMBEDDING_MODEL and HIPPORAG_EMBEDDING_BASE_URL."
    if error.status_code == 429:
        return "Wait, or lower HIPPORAG_EMBEDDING_BATCH_SIZE; what was embedded before is kept."
    if error.status_code in (400, 413):
        return "If a text or a batch is too long, lower HIPPORAG_PASSAGE_SIZE or HIPPORAG_EMBEDDING_BATCH_SIZE."
    return "Try again later."
