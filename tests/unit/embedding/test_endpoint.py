"""Embeddings over HTTP, from a scripted server."""

import json
import math
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hipporag_neo4j.embedding import Embedder, make_embedder
from hipporag_neo4j.errors import ConfigurationError, EmbeddingError, InputError
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.llm_server import LLMServer, Reply, error


def embedder(server: LLMServer, **settings: Any) -> Embedder:
    options = {"openai_base_url": server.url, "openai_api_key": "key-1", "embedding_retries": 0, **settings}
    return make_embedder(Settings(embedding_provider="openai", embedding_model="scripted", **options))


def answer(*rows: tuple[int, list[float]]) -> Reply:
    return Reply(body=json.dumps({"data": [{"index": index, "embedding": row} for index, row in rows]}))


def test_the_vectors_are_the_endpoints_in_batches(llm_server: LLMServer) -> None:
    texts = [f"text {n}" for n in range(7)]
    vectors = embedder(llm_server, embedding_batch_size=3).embed(texts)
    np.testing.assert_allclose(vectors, HashEmbedder(64).embed(texts), atol=1e-7)
    assert vectors.dtype == np.float32
    assert [request.body["input"] for request in llm_server.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert {request.body["model"] for request in llm_server.requests} == {"scripted"}


def test_the_answer_is_ordered_by_index(llm_server: LLMServer) -> None:
    llm_server.embeddings_script = [answer((1, [0.0, 2.0]), (0, [1.0, 0.0]))]
    assert embedder(llm_server).embed(["a", "b"]).tolist() == [[1, 0], [0, 2]]


def test_dimensions_are_asked_for_once(llm_server: LLMServer) -> None:
    llm_server.dimensions = 12
    model = embedder(llm_server)
    assert not llm_server.requests
    assert (model.dimensions, model.dimensions) == (12, 12)
    assert model.embed([]).shape == (0, 12)
    assert len(llm_server.requests) == 1


def test_the_empty_text_travels_as_a_space(llm_server: LLMServer) -> None:
    vectors = embedder(llm_server).embed(["", "a"])
    assert llm_server.requests[0].body["input"] == [" ", "a"]
    assert vectors.shape == (2, 64)


def test_own_address_and_key_come_first(llm_server: LLMServer) -> None:
    llm_server.api_key = "key-2"
    options = {"openai_base_url": "http://127.0.0.1:1/v1", "embedding_base_url": llm_server.url}
    assert embedder(llm_server, **options, embedding_api_key="key-2").embed(["a"]).shape == (1, 64)


def test_an_address_needs_no_key(llm_server: LLMServer) -> None:
    assert embedder(llm_server, openai_api_key=None).embed(["a"]).shape == (1, 64)


def test_neither_key_nor_address_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="Set OPENAI_API_KEY"):
        make_embedder(Settings(embedding_provider="openai"))


def test_a_failure_that_passes_is_tried_again(llm_server: LLMServer) -> None:
    llm_server.embeddings_script = [error(503), error(429, retry_after="0.01"), Reply(cut="before")]
    assert embedder(llm_server, embedding_retries=3).embed(["a"]).shape == (1, 64)
    assert len(llm_server.requests) == 4


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (error(401, "Incorrect API key"), "status 401: .*Incorrect API key.* Check HIPPORAG_EMBEDDING_API_KEY"),
        (error(404, "no such model"), "status 404: .*no such model.* Check HIPPORAG_EMBEDDING_MODEL"),
        (error(400, "too long"), "status 400: .*too long.* lower HIPPORAG_PASSAGE_SIZE"),
        (error(429, "slow down"), "status 429: .*slow down.* Wait"),
        (error(500, "oops"), "status 500: .*oops.* Try again later"),
        (Reply(cut="before"), "can't be reached: .*Is HIPPORAG_EMBEDDING_BASE_URL"),
        (Reply(cut="inside", body=json.dumps({"data": []})), "can't be reached"),
        (Reply(body="<html>Welcome</html>"), "isn't a list of embeddings .*Welcome.* end in /v1"),
        (Reply(body='{"data": null}'), "isn't a list of embeddings .*data"),
        (Reply(body='{"data": [{"index": 0, "embedding": [1, null]}]}'), r"data\.0\.embedding\.1"),
        (answer((0, [1.0])), "returned 1 vectors for 2 texts"),
        (answer((0, [1.0]), (0, [1.0])), r"numbered its 2 vectors \[0, 0\]"),
        (answer((0, [1.0]), (1, [1.0, 2.0])), r"of different lengths for texts 1 to 2 of 2: \[1, 2\]"),
        (answer((0, []), (1, [])), "zeros alone|length 0"),
        (answer((0, [1.0]), (1, [math.nan])), "NaN or infinity in 1 of 2 vectors, first in that of text 2"),
        (answer((0, [0.0]), (1, [1.0])), "zeros alone in 1 of 2 vectors, first in that of text 1"),
    ],
)
def test_what_goes_wrong_is_named(llm_server: LLMServer, reply: Reply, message: str) -> None:
    llm_server.embeddings_script = [reply]
    with pytest.raises(EmbeddingError, match=message) as raised:
        embedder(llm_server).embed(["a", "b"])
    assert llm_server.url in str(raised.value)
    assert "key-1" not in str(raised.value)


def test_a_length_that_changes_is_refused(llm_server: LLMServer) -> None:
    model = embedder(llm_server)
    model.embed(["a"])
    llm_server.dimensions = 32
    with pytest.raises(EmbeddingError, match="vectors of length 32, where 64 was expected"):
        model.embed(["b"])


def test_silence_is_a_time_out(llm_server: LLMServer) -> None:
    llm_server.embeddings_script = [Reply(delay=1.0, body="{}")]
    with pytest.raises(EmbeddingError, match=r"didn't answer for texts 1 to 1 of 1 within 0\.1 s, in 1 attempts"):
        embedder(llm_server, embedding_timeout=0.1).embed(["a"])


def test_nobody_listening_is_named() -> None:
    model = make_embedder(
        Settings(embedding_provider="openai", embedding_base_url="http://127.0.0.1:1/v1", embedding_retries=0)
    )
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:1/v1/.* can't be reached"):
        model.embed(["a"])


def test_a_text_that_is_no_unicode_is_refused(llm_server: LLMServer) -> None:
    with pytest.raises(InputError, match="Text 2 of 2"):
        embedder(llm_server).embed(["a", "\ud800"])
    assert not llm_server.requests


def shown(raised: pytest.ExceptionInfo[Exception]) -> str:
    """All that a traceback prints, without the source, which is the test's own."""
    told = traceback.TracebackException.from_exception(raised.value)
    return " ".join("".join(one.format_exception_only()) for one in _chain(told))


def _chain(told: traceback.TracebackException | None) -> Iterator[traceback.TracebackException]:
    while told is not None:
        yield told
        told = told.__cause__ or (None if told.__suppress_context__ else told.__context__)


def test_a_line_end_behind_a_key_is_no_part_of_it(llm_server: LLMServer) -> None:
    llm_server.api_key = "sk-secret-1"
    assert embedder(llm_server, openai_api_key="sk-secret-1\n").embed(["a"]).shape == (1, 64)


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        ({"openai_api_key": "sk-se\ncret"}, "OPENAI_API_KEY"),
        ({"openai_api_key": "sk-seécret"}, "OPENAI_API_KEY"),
        ({"embedding_api_key": "sk-se cret"}, "HIPPORAG_EMBEDDING_API_KEY"),
        ({"openai_base_url": "htp://user:secret@host"}, "OPENAI_BASE_URL"),
        ({"embedding_base_url": "user:secret@host"}, "HIPPORAG_EMBEDDING_BASE_URL"),
    ],
)
def test_what_can_not_be_used_is_refused_at_once_and_unshown(
    llm_server: LLMServer, settings: dict[str, str], variable: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{variable} ") as raised:
        embedder(llm_server, **settings)
    assert "cret" not in shown(raised)
    assert not llm_server.requests


@pytest.mark.parametrize(
    "reply",
    [
        error(401, "Wrong key sk-secret-1 of user:hunter2"),
        error(500, "Wrong key sk-secret-1 of user:hunter2"),
        Reply(body="Wrong key sk-secret-1 of user:hunter2"),
        Reply(cut="before"),
        answer((0, [1.0]), (1, [1.0])),
        answer((0, [0.0])),
    ],
)
def test_no_message_holds_the_key_or_the_password(llm_server: LLMServer, reply: Reply) -> None:
    llm_server.embeddings_script = [reply]
    address = llm_server.url.replace("http://", "http://user:hunter2@")
    with pytest.raises(EmbeddingError) as raised:
        embedder(llm_server, openai_api_key="sk-secret-1", openai_base_url=address).embed(["a"])
    assert llm_server.url in str(raised.value)
    assert "secret" not in shown(raised)
    assert "hunter2" not in shown(raised)


def test_silence_and_absence_show_no_password(llm_server: LLMServer) -> None:
    llm_server.embeddings_script = [Reply(delay=1.0, body="{}")]
    slow = llm_server.url.replace("http://", "http://user:hunter2@")
    for address in (slow, "http://user:hunter2@127.0.0.1:1/v1"):
        with pytest.raises(EmbeddingError) as raised:
            embedder(llm_server, openai_base_url=address, embedding_timeout=0.1).embed(["a"])
        assert "hunter2" not in shown(raised)
