"""The embedders that other tests rely on."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.embedders import CachedEmbedder, HashEmbedder


class CountingEmbedder(HashEmbedder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(16)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return super().embed(texts)


def test_a_text_has_one_vector_whatever_the_batch(hash_embedder: HashEmbedder) -> None:
    texts = ["alan turing", "", "an", "앨런 튜링", "🦛"]
    together = hash_embedder.embed(texts)
    assert together.shape == (5, 64)
    assert np.isfinite(together).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1)
    for text, vector in zip(texts, together, strict=True):
        assert (hash_embedder.embed([text])[0] == vector).all()


def test_vectors_are_the_same_in_every_process() -> None:
    vector = HashEmbedder(4).embed(["hippocampus"])[0]
    assert [round(float(x), 4) for x in vector] == [0.2382, 0.3166, 0.2351, -0.8876]


def test_texts_that_share_letters_are_near(hash_embedder: HashEmbedder) -> None:
    one, two, other = hash_embedder.embed(["university of oxford", "the university of oxford", "grey whale"])
    assert one @ two > 0.8
    assert abs(one @ other) < 0.5


def test_the_cache_asks_for_a_text_once(tmp_path: Path) -> None:
    file = tmp_path / "new" / "vectors.sqlite"
    model = CountingEmbedder()
    first = CachedEmbedder(model, file).embed(["b", "a", "b"])
    second = CachedEmbedder(model, file).embed(["a", "c", "b"])
    assert model.asked == ["b", "a", "c"]
    assert (first == HashEmbedder(16).embed(["b", "a", "b"])).all()
    assert (second == HashEmbedder(16).embed(["a", "c", "b"])).all()


def test_the_cache_keeps_more_texts_than_a_statement_takes(tmp_path: Path) -> None:
    texts = [str(number) for number in range(1201)]
    cached = CachedEmbedder(HashEmbedder(16), tmp_path / "vectors.sqlite")
    assert (cached.embed(texts) == HashEmbedder(16).embed(texts)).all()
    assert cached.embed([]).shape == (0, 16)
