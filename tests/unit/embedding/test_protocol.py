"""What is refused of texts and vectors, whoever made them."""

import numpy as np
import pytest

from hipporag_neo4j.embedding.protocol import check_vectors, refuse_broken_unicode
from hipporag_neo4j.errors import EmbeddingError, InputError


def test_good_vectors_pass() -> None:
    check_vectors(np.array([[0, 1e-20], [3, 4]], dtype=np.float32), count=2, dimensions=2, source="It")


@pytest.mark.parametrize(
    ("rows", "count", "dimensions", "message"),
    [
        ([[1.0, 2.0]], 2, 2, r"It returned vectors of shape \(1, 2\) for 2 texts"),
        ([[1.0, 2.0]], 1, 3, "of length 2, where 3 was expected"),
        ([[1.0, 2.0], [1.0, float("nan")]], 2, 2, "NaN or infinity in 1 of 2 vectors, first in that of text 2"),
        ([[1.0, float("inf")]], 1, None, "NaN or infinity in 1 of 1"),
        ([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 3, 2, "zeros alone in 2 of 3 vectors, first in that of text 2"),
    ],
)
def test_bad_vectors_are_named(rows: list[list[float]], count: int, dimensions: int | None, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        check_vectors(np.array(rows, dtype=np.float32), count=count, dimensions=dimensions, source="It")


def test_half_a_surrogate_pair_is_named() -> None:
    refuse_broken_unicode(["", "\U0001f600", "한국어", "\x00"])
    with pytest.raises(InputError, match=r"Text 2 of 2 .* character 3 is half a surrogate pair \(U\+D83D\)"):
        refuse_broken_unicode(["fine", "ab\ud83d"])
