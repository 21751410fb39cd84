"""The scripted server speaks the protocol that the official client expects, so tests against it mean something."""

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
