"""An embedder that is asked once for each text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.embedding.protocol import Embedder


class RememberingEmbedder:
    """Another embedder, whose vectors are kept in memory: for questions that are asked several times in one run."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The other embedder's name."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The other embedder's dimensions."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions); from memory where a text was embedded before."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
