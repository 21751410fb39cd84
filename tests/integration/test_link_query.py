"""Entities given for a question: an equal name is looked up, the others are searched for."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write


class CountingEmbedder(HashEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return super().embed(texts)


def test_an_equal_name_costs_no_vector(settings: Settings) -> None:
    embedder = CountingEmbedder(DIMENSIONS)
    with HippoRAG(settings, embedder=embedder) as rag:
        write(rag, [passage("1", ("Ada", "knows", "Bob")), passage("2", ("Bob", "knows", "Cleo Stone"))])
        embedder.asked.clear()
        exact = rag.retrieve("Who?", mode="hipporag1", entities=["BOB", "ada", "bob"])
        assert embedder.asked == []
        assert {(seed.entity, seed.phrase, seed.similarity) for seed in exact.seeds} == {
            ("bob", "bob", 1),
            ("ada", "ada", 1),
        }
        mixed = rag.retrieve("Who?", mode="hipporag1", entities=["cleo stones", "ada"])
        assert embedder.asked == ["cleo stones"]
        assert {seed.entity for seed in mixed.seeds} == {"cleo stones", "ada"}


def test_more_entities_than_a_question_names_are_refused(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, [passage("1", ("Ada", "knows", "Bob"))])
        with pytest.raises(InputError, match=r"1,001 entities are given.*at most 1,000"):
            rag.retrieve("Who?", mode="hipporag1", entities=[f"thing {n}" for n in range(1001)])
        assert rag.retrieve("Who?", mode="hipporag1", entities=["ada"] * 1001).passages
