"""The scripted server speaks the protocol that the official client expects, so tests against it mean something."""

import json
from collections.abc import Iterator

import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from hipporag_neo4j.prompts import entity_messages
from tests.embedders import HashEmbedder
from tests.llm_server import LLMServer, Reply, error

ASKED: list[ChatCompletionUserMessageParam] = [
    {"role": "user", "content": entity_messages("Ada Moss lived in Lund.")[-1].content}
]


@pytest.fixture
def client(llm_server: LLMServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="key", base_url=llm_server.url, max_retries=0) as opened:
        yield opened


def test_the_default_rule_answers_the_products_prompts(client: openai.OpenAI) -> None:
    completion = client.chat.completions.create(model="any", messages=ASKED)
    assert completion.choices[0].message.content == '{"named_entities": ["Ada Moss", "Lund"]}'
    assert completion.usage is not None
    assert completion.usage.completion_tokens == 4


def test_a_stream_gives_the_same_text(client: openai.OpenAI) -> None:
    options: openai.types.chat.ChatCompletionStreamOptionsParam = {"include_usage": True}
    with client.chat.completions.create(model="any", messages=ASKED, stream=True, stream_options=options) as stream:
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == '{"named_entities": ["Ada Moss", "Lund"]}'
    assert chunks[-1].usage is not None


def test_a_cut_stream_is_an_error(llm_server: LLMServer, client: openai.OpenAI) -> None:
    llm_server.script = [Reply("word " * 50, cut="inside")]
    with (
        client.chat.completions.create(model="any", messages=ASKED, stream=True) as stream,
        pytest.raises(openai.APIConnectionError),
    ):
        list(stream)


def test_models_are_listed_and_unknown_ones_refused(llm_server: LLMServer, client: openai.OpenAI) -> None:
    llm_server.models = ["one", "two"]
    assert [model.id for model in client.models.list()] == ["one", "two"]
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="three", messages=ASKED)


def test_embeddings_are_the_hash_embedders(llm_server: LLMServer, client: openai.OpenAI) -> None:
    llm_server.dimensions = 16
    expected = HashEmbedder(16).embed(["Ada", "Lund"])
    coded = client.embeddings.create(model="any", input=["Ada", "Lund"])
    plain = client.embeddings.create(model="any", input=["Ada", "Lund"], encoding_format="float")
    for answer in (coded, plain):
        assert [item.index for item in answer.data] == [0, 1]
        assert [item.embedding for item in answer.data] == expected.tolist()
    assert len(client.embeddings.create(model="any", input="Ada", dimensions=8).data[0].embedding) == 8
    llm_server.embeddings_script = [error(429, retry_after="1")]
    with pytest.raises(openai.RateLimitError):
        client.embeddings.create(model="any", input="Ada")


def lines(*ids: str, **changes: object) -> bytes:
    body = {"model": "any", "messages": ASKED}
    rows = [{"custom_id": id_, "method": "POST", "url": "/v1/chat/completions", "body": body, **changes} for id_ in ids]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def create_batch(client: openai.OpenAI, content: bytes) -> openai.types.Batch:
    file = client.files.create(file=("requests.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"a": "b"}
    )


def test_a_batch_is_answered_in_any_order(llm_server: LLMServer, client: openai.OpenAI) -> None:
    llm_server.batch_api.steps = ("in_progress", "finalizing", "completed")
    batch = create_batch(client, lines("one", "two"))
    assert batch.status == "validating"
    states = [client.batches.retrieve(batch.id).status for _ in range(4)]
    assert states == ["in_progress", "finalizing", "completed", "completed"]
    done = client.batches.retrieve(batch.id)
    assert done.output_file_id is not None
    assert done.error_file_id is None
    assert done.request_counts is not None
    assert (done.request_counts.total, done.request_counts.completed, done.request_counts.failed) == (2, 2, 0)
    answers = [json.loads(line) for line in client.files.content(done.output_file_id).text.splitlines()]
    assert [answer["custom_id"] for answer in answers] == ["two", "one"]
    said = answers[0]["response"]["body"]["choices"][0]["message"]["content"]
    assert said == '{"named_entities": ["Ada Moss", "Lund"]}'
    assert len(llm_server.batched) == 2
    assert llm_server.chats == []


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"", "empty_file", None),
        (b"{\n", "invalid_json_line", 1),
        (lines("one", "one"), "duplicate_custom_id", 2),
        (lines("one", url="/v1/embeddings"), "invalid_request", 1),
        (lines("one", body={"messages": ASKED}), "missing_required_parameter", 1),
        (lines("one", "two", "three"), "too_many_tasks", None),
    ],
)
def test_a_file_that_is_wrong_fails_its_batch(
    llm_server: LLMServer, client: openai.OpenAI, content: bytes, code: str, line: int | None
) -> None:
    llm_server.batch_api.most_requests = 2
    batch = client.batches.retrieve(create_batch(client, content).id)
    assert batch.status == "failed"
    assert batch.errors is not None
    assert batch.errors.data is not None
    assert [(error.code, error.line) for error in batch.errors.data] == [(code, line)]


def test_batches_are_listed_by_pages_and_cancelled(llm_server: LLMServer, client: openai.OpenAI) -> None:
    llm_server.batch_api.steps = ("in_progress",)
    llm_server.batch_api.answers = 1
    ids = [create_batch(client, lines("one", "two")).id for _ in range(5)]
    assert [batch.id for batch in client.batches.list(limit=2)] == ids[::-1]
    assert client.batches.cancel(ids[0]).status == "cancelling"
    cancelled = client.batches.retrieve(ids[0])
    assert cancelled.status == "cancelled"
    assert cancelled.error_file_id is not None
    (undone,) = [json.loads(line) for line in client.files.content(cancelled.error_file_id).text.splitlines()]
    assert (undone["custom_id"], undone["error"]["code"]) == ("two", "batch_cancelled")
    with pytest.raises(openai.ConflictError):
        client.batches.cancel(ids[0])
    with pytest.raises(openai.NotFoundError):
        client.batches.retrieve("batch_none")
