"""Embeddings on this machine, by sentence-transformers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hipporag_neo4j.embedding import packaged_model
from hipporag_neo4j.embedding.protocol import check_vectors, refuse_broken_unicode
from hipporag_neo4j.errors import EmbeddingError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class LocalEmbedder:
    """An Embedder on this machine.

    The model `all-MiniLM-L6-v2` comes from its Python package where that is installed, without network, its files
    checked; any other name or folder is what sentence-transformers makes of it. Used from one thread at a time: calls
    wait for each other.
    """

    def __init__(self, name: str, *, batch_size: int = 64) -> None:
        self.name = name
        self._batch_size = batch_size
        self._lock = threading.Lock()

    @cached_property
    def dimensions(self) -> int:
        """Length of every vector; for the packaged model read from its configuration, without loading it."""
        if self._packaged_folder is not None:
            return packaged_model.read_dimensions(self._packaged_folder)
        return int(self._encode(["dimensions"]).shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' vectors, shape (len(texts), dimensions); within a call the longest are embedded first."""
        refuse_broken_unicode(texts)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._encode(texts)
        check_vectors(vectors, count=len(texts), dimensions=self.dimensions, source=f"The model {self.name!r}")
        return vectors

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            model = self._model
            try:
                order = _by_length(model, texts) if len(texts) > self._batch_size else range(len(texts))
                blocks = [
                    model.encode([texts[i] for i in batch], batch_size=len(batch), show_progress_bar=False)
                    for batch in _batches(order, self._batch_size)
                ]
            except (RuntimeError, ValueError) as error:
                raise EmbeddingError(
                    f"The embedding model {self.name!r} failed on {len(texts)} texts: {error}. "
                    "If memory ran out, set HIPPORAG_EMBEDDING_BATCH_SIZE lower."
                ) from error
        in_order_of_length = np.concatenate(blocks)
        vectors = np.empty(in_order_of_length.shape, dtype=np.float32)
        vectors[np.asarray(order)] = in_order_of_length
        return vectors

    @cached_property
    def _packaged_folder(self) -> Path | None:
        return packaged_model.find_model() if self.name == packaged_model.MODEL_NAME else None

    @cached_property
    def _model(self) -> Any:
        folder = self._packaged_folder
        if folder is not None:
            packaged_model.check_files(folder)
            return _load_model(self.name, str(folder), local_files_only=True)
        return _load_model(self.name, self.name, local_files_only=False)


def _batches(order: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _by_length(model: Any, texts: Sequence[str]) -> list[int]:
    """Positions of the texts, most tokens first, so that a batch holds texts of about one length.

    sentence-transformers sorts by characters. For a corpus with its phrases and facts a quarter of what the model then
    reads is padding, since names and punctuation take more tokens than prose; sorted by tokens, a hundredth.
    """
    from transformers import PreTrainedTokenizerBase

    tokenizer = getattr(model, "tokenizer", None)
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        return sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    tokens = tokenizer(list(texts), truncation=True, max_length=model.max_seq_length)["input_ids"]
    return sorted(range(len(texts)), key=lambda i: -len(tokens[i]))


def _load_model(name: str, source: str, *, local_files_only: bool) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EmbeddingError(
            f"The embedding model {name!r} needs sentence-transformers, which can't be imported ({error}). "
            'Install it: pip install "hipporag-neo4j[embeddings]", or set HIPPORAG_EMBEDDING_PROVIDER=openai.'
        ) from error
    # What a hub, a file or a model can answer with; both come with sentence-transformers. The hub's HTTP client differs
    # by release, so its error is taken from the hub.
    from huggingface_hub.errors import HTTPError
    from safetensors import SafetensorError

    try:
        with _quiet():
            return SentenceTransformer(source, local_files_only=local_files_only)
    except (OSError, ValueError, RuntimeError, KeyError, ImportError, HTTPError, SafetensorError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise EmbeddingError(
            f"The embedding model {name!r} can't be loaded from {source!r}: {reason[0]} Give the name of a model that "
            "can be reached from here, a folder that holds one, or the default all-MiniLM-L6-v2 with its package: "
            'pip install "hipporag-neo4j[embeddings]".'
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' "Loading weights" bar and the hub's lines on each retry off the terminal.

    What becomes of it is said in one error. Both switches are left as they were.
    """
    from transformers.utils import logging as of_transformers

    bars: Any = of_transformers  # its functions carry no types
    hub = logging.getLogger("huggingface_hub")
    had_bars, level = bars.is_progress_bar_enabled(), hub.level
    bars.disable_progress_bar()
    hub.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        hub.setLevel(level)
        if had_bars:
            bars.enable_progress_bar()
