"""Embedders of other libraries: those of neo4j-graphrag, and whatever else has its method `embed_query`."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.embedding.protocol import Embedder, check_vectors, refuse_broken_unicode
from hipporag_neo4j.errors import ConfigurationError, EmbeddingError
from hipporag_neo4j.foreign import Failure, failures

_NAMES = ("model", "model_name", "model_id", "model.tokenizer.name_or_path", "model._model_id")
"""Where embedders of neo4j-graphrag keep the name they were given; the last two: SentenceTransformer, Vertex AI."""


class QueryEmbedder(Protocol):
    """What `Embedder` of neo4j-graphrag promises."""

    def embed_query(self, text: str) -> list[float]:
        """A text's vector."""


class ForeignEmbedder:
    """An Embedder made of one that takes a text at a time, such as those of neo4j-graphrag.

    `name` is what the graph remembers; without one it is the embedder's own. `concurrency` texts are embedded at a
    time: more than one only where the embedder can be called from several threads, which those behind HTTP can.
    """

    def __init__(self, embedder: QueryEmbedder, *, name: str | None = None, concurrency: int = 1) -> None:
        """Raises ConfigurationError where no name is given and none can be found, and for a concurrency below 1."""
        if concurrency < 1:
            raise ConfigurationError(f"The concurrency is {concurrency}. Take 1 or more.")
        self.name = name or _name_of(embedder)
        self._embedder = embedder
        self._concurrency = concurrency
        self._lock = threading.Lock()

    @cached_property
    def dimensions(self) -> int:
        """Length of every vector; asks for one when first used."""
        return int(self._vectors(["dimensions"]).shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' vectors, shape (len(texts), dimensions). The empty text is embedded as a single space.

        Raises EmbeddingError when the embedder fails, InputError when a text is no Unicode.
        """
        refuse_broken_unicode(texts)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._vectors(texts)
        check_vectors(vectors, count=len(texts), dimensions=self.dimensions, source=f"The model {self.name!r}")
        return vectors

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            rows = self._rows([text or " " for text in texts])
        except failures() as error:
            failure = Failure(error, self._embedder)
            raise EmbeddingError(
                f"The embedding model {self.name!r} ({type(self._embedder).__name__}) failed: {failure}. Check its "
                "key, its address and that its server runs."
            ) from failure.cause
        lengths = sorted({len(row) for row in rows})
        if len(lengths) > 1:
            raise EmbeddingError(f"The model {self.name!r} returned vectors of different lengths: {lengths}.")
        return np.array(rows, dtype=np.float32)

    def _rows(self, texts: Sequence[str]) -> list[list[float]]:
        if self._concurrency == 1:
            with self._lock:
                return [self._embedder.embed_query(text) for text in texts]
        with ThreadPoolExecutor(min(self._concurrency, len(texts))) as threads:
            return list(threads.map(self._embedder.embed_query, texts))


def as_embedder(given: Embedder | QueryEmbedder) -> Embedder:
    """The embedder that was handed in, made one of this package if it comes from another library.

    Raises ConfigurationError for what is none, or has no name.
    """
    if callable(getattr(given, "embed", None)):
        return given  # type: ignore[return-value]
    if callable(getattr(given, "embed_query", None)):
        return ForeignEmbedder(given)  # type: ignore[arg-type]
    raise ConfigurationError(
        f"The embedder is a {type(given).__name__}, which has neither `embed` nor `embed_query`. Give an embedder of "
        "this package (hipporag_neo4j.embedding.Embedder says what it has) or one of neo4j-graphrag."
    )


def _name_of(embedder: object) -> str:
    for path in _NAMES:
        found: object = embedder
        for part in path.split("."):
            found = getattr(found, part, None)
        if isinstance(found, str) and found:
            return found
    raise ConfigurationError(
        f"The embedder is a {type(embedder).__name__}, which doesn't say which model it is; the graph has to remember "
        "that. Name it: embedder=ForeignEmbedder(embedder, name='…'), from hipporag_neo4j.embedding."
    )
