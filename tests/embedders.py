"""Embedders for tests: one made of hashes, and a cache on disk in front of a real one."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.embedding import Embedder


@lru_cache(maxsize=100_000)
def _direction(piece: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(blake2b(piece.encode(), digest_size=8).digest(), "big")
    return np.random.Generator(np.random.PCG64(seed)).standard_normal(dimensions)


class HashEmbedder:
    """Adds up a direction for every three letters of a text, so texts that share letters are near.

    A text has the same vector to the last bit in every batch and process; its length is 1. Two unrelated texts have a
    cosine of about 0 ± 1 / sqrt(dimensions).
    """

    def __init__(self, dimensions: int = 64, name: str | None = None) -> None:
        self.name = name or f"hash-{dimensions}"
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            padded = f"  {text} "
            total = np.zeros(self.dimensions)
            for start in range(len(padded) - 2):
                total += _direction(padded[start : start + 3], self.dimensions)
            vectors[row] = total / np.linalg.norm(total)
        return vectors


class CountingEmbedder(HashEmbedder):
    """Keeps the texts it was asked for."""

    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        self.texts += texts
        return super().embed(texts)


class CachedEmbedder:
    """Asks another embedder only for texts that no earlier run has asked for; several processes may share the file.

    The first vector a text was given stays, so a result doesn't vary with the batch (1e-6 with a real model).
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as cache, cache:
            cache.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")

    @property
    def name(self) -> str:
        """The other embedder's name."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The other embedder's dimensions; loads its model."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        if not texts:
            return self._embedder.embed(texts)
        keys = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with closing(self._open()) as cache:
            known = self._read(cache, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if missing:
                vectors = self._embedder.embed(list(missing.values())).astype("<f4")
                with cache:
                    cache.executemany(
                        "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                        [(key, vector.tobytes()) for key, vector in zip(missing, vectors, strict=True)],
                    )
                known |= self._read(cache, list(missing))
        return np.frombuffer(b"".join(known[key] for key in keys), dtype="<f4").reshape(len(texts), -1).copy()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=60)

    @staticmethod
    def _read(cache: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ", ".join("?" * len(part))
            found.update(cache.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part).fetchall())
        return found
