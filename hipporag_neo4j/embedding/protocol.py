"""What an embedder is, and what its vectors must hold."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.errors import EmbeddingError, InputError


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how near they are in meaning."""

    @property
    def name(self) -> str:
        """What the graph remembers, such as "all-MiniLM-L6-v2": two embedders of one name give the same vectors."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' vectors, in order.

        Shape (len(texts), dimensions); finite, none all zeros, not necessarily of length 1. The empty text has a
        vector too. Raises EmbeddingError when the model fails, InputError when a text is no Unicode.
        """


def refuse_broken_unicode(texts: Sequence[str]) -> None:
    """Raise InputError for a text with half a surrogate pair: no tokenizer, endpoint or database takes it."""
    for position, text in enumerate(texts):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"Text {position + 1} of {len(texts)} can't be embedded: character {error.start + 1} is half a "
                f"surrogate pair (U+{ord(text[error.start]):04X}), in {text[:60]!r}. Repair or drop that character."
            ) from error


def check_vectors(vectors: NDArray[np.float32], *, count: int, dimensions: int | None, source: str) -> None:
    """Raise EmbeddingError unless there are `count` finite, non-zero vectors, of length `dimensions` if given."""
    if vectors.ndim != 2 or len(vectors) != count:
        raise EmbeddingError(f"{source} returned vectors of shape {vectors.shape} for {count} texts.")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise EmbeddingError(
            f"{source} returned vectors of length {vectors.shape[1]}, where {dimensions} was expected. "
            "Has the model behind this name been replaced?"
        )
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    broken = np.flatnonzero(~np.isfinite(squares))
    if broken.size:
        raise EmbeddingError(
            f"{source} returned NaN or infinity in {broken.size} of {count} vectors, first in that of text "
            f"{broken[0] + 1}. Try another precision or device for this model."
        )
    zeros = np.flatnonzero(squares == 0)
    if zeros.size:
        raise EmbeddingError(
            f"{source} returned zeros alone in {zeros.size} of {count} vectors, first in that of text {zeros[0] + 1}; "
            "no cosine can be taken with them. Is this an embedding model?"
        )
