"""Embedders of neo4j-graphrag, handed to this package as they are."""

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tenacity import Future, RetryError

from hipporag_neo4j.embedding import ForeignEmbedder, as_embedder
from hipporag_neo4j.errors import ConfigurationError, EmbeddingError, InputError
from tests.embedders import HashEmbedder
from tests.libraries import need
from tests.llm_server import LLMServer, error

if TYPE_CHECKING:
    from neo4j_graphrag.embeddings import Embedder as GraphRAGEmbedder

OpenAIEmbeddings = need("neo4j_graphrag.embeddings").OpenAIEmbeddings
NoOpRateLimitHandler = need("neo4j_graphrag.utils.rate_limit").NoOpRateLimitHandler


class OneByOne:
    """What takes a text at a time."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)
        self.hashes = HashEmbedder(16)
        self.running = self.most = 0
        self._lock = threading.Lock()

    def embed_query(self, text: str) -> list[float]:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.005)
        with self._lock:
            self.running -= 1
        vector: list[float] = self.hashes.embed([text])[0].tolist()
        return vector


def openai(llm_server: LLMServer, key: str = "key-for-tests") -> Any:
    """An embedder of neo4j-graphrag at the scripted endpoint, which doesn't repeat what fails."""
    return OpenAIEmbeddings(
        model="scripted",
        base_url=llm_server.url,
        api_key=key,
        max_retries=0,
        rate_limit_handler=NoOpRateLimitHandler(),
    )


def handed_in(embedder: "GraphRAGEmbedder") -> str:
    """mypy sees that the library's own type fits."""
    return as_embedder(embedder).name


def test_an_embedder_of_neo4j_graphrag_is_one_of_this_package(llm_server: LLMServer) -> None:
    embedder = as_embedder(openai(llm_server))
    assert handed_in(openai(llm_server)) == embedder.name == "scripted"
    assert embedder.dimensions == 64
    vectors = embedder.embed(["alan turing", "", "enigma"])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, HashEmbedder(64).embed(["alan turing", " ", "enigma"]), atol=1e-6)
    assert embedder.embed([]).shape == (0, 64)


def test_one_of_this_package_stays_as_it_is() -> None:
    embedder = HashEmbedder()
    assert as_embedder(embedder) is embedder


def test_what_is_no_embedder_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is a str, which has neither `embed` nor `embed_query`"):
        as_embedder("all-MiniLM-L6-v2")  # type: ignore[arg-type]


@pytest.mark.parametrize("attribute", ["model", "model_name", "model_id"])
def test_the_name_is_the_one_it_was_given(attribute: str) -> None:
    assert ForeignEmbedder(OneByOne(**{attribute: "e5-small"})).name == "e5-small"


def test_a_sentence_transformer_is_named_by_what_it_was_loaded_from() -> None:
    class Tokenizer:
        name_or_path = "intfloat/e5-small"

    class Model:
        tokenizer = Tokenizer()

    assert ForeignEmbedder(OneByOne(model=Model())).name == "intfloat/e5-small"


def test_without_a_name_it_has_to_be_named() -> None:
    with pytest.raises(ConfigurationError, match=r"OneByOne, which doesn't say which model it is.*name='…'"):
        ForeignEmbedder(OneByOne(model=object()))
    assert ForeignEmbedder(OneByOne(), name="mine").name == "mine"


def test_texts_are_embedded_one_at_a_time_unless_it_is_said() -> None:
    texts = [f"text {number}" for number in range(12)]
    alone, several = OneByOne(model="m"), OneByOne(model="m")
    expected = HashEmbedder(16).embed(texts)
    assert np.allclose(ForeignEmbedder(alone).embed(texts), expected)
    assert np.allclose(ForeignEmbedder(several, concurrency=4).embed(texts), expected)
    assert alone.most == 1
    assert 1 < several.most <= 4
    with pytest.raises(ConfigurationError, match="concurrency is 0"):
        ForeignEmbedder(alone, concurrency=0)


def test_a_failure_is_an_embedding_error_without_the_key(llm_server: LLMServer) -> None:
    llm_server.api_key = "another"
    with pytest.raises(EmbeddingError, match=r"'scripted' \(OpenAIEmbeddings\) failed.*401.*Check its key") as raised:
        as_embedder(openai(llm_server, "sk-canary")).embed(["a"])
    assert "sk-canary" not in str(raised.value)
    assert raised.value.__cause__ is None  # the endpoint repeats the key
    llm_server.api_key = None
    llm_server.embeddings_script.append(error(500, "out of order"))
    with pytest.raises(EmbeddingError, match="out of order") as raised:
        as_embedder(openai(llm_server)).embed(["a"])
    assert raised.value.__cause__ is not None


def test_a_rate_limit_that_stays_is_an_embedding_error() -> None:
    class Busy:
        model = "m"

        def embed_query(self, text: str) -> list[float]:
            raise RetryError(Future.construct(3, RuntimeError("429: too many requests"), has_exception=True))

    with pytest.raises(EmbeddingError, match="failed: 429: too many requests"):
        ForeignEmbedder(Busy()).embed(["a"])


def test_a_mistake_in_an_embedder_shows_as_it_is() -> None:
    class Broken:
        model = "m"

        def embed_query(self, text: str) -> list[float]:
            raise KeyError(text)

    with pytest.raises(KeyError):
        ForeignEmbedder(Broken()).embed(["a"])


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        ({"dimensions": [1.0, 2.0], "a": [1.0, float("nan")]}, "NaN"),
        ({"dimensions": [1.0, 2.0], "a": [0.0, 0.0]}, "zeros alone"),
        ({"dimensions": [1.0, 2.0], "a": [1.0, 2.0, 3.0]}, "length 3, where 2"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused(vectors: dict[str, list[float]], problem: str) -> None:
    class Odd:
        model = "m"

        def embed_query(self, text: str) -> list[float]:
            return vectors[text]

    with pytest.raises(EmbeddingError, match=problem):
        ForeignEmbedder(Odd()).embed(["a"])


def test_vectors_of_several_lengths_and_broken_texts_are_refused() -> None:
    class Growing:
        model = "m"

        def embed_query(self, text: str) -> list[float]:
            return [1.0] * len(text)

    with pytest.raises(EmbeddingError, match=r"different lengths: \[1, 2\]"):
        ForeignEmbedder(Growing()).embed(["a", "ab"])
    with pytest.raises(InputError, match="half a surrogate pair"):
        ForeignEmbedder(Growing()).embed(["\ud800"])
