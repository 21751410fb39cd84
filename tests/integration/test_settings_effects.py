"""Every number that a person can set changes what it says it does, on the real server."""

import json
from typing import Any

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.llm_server import LLMServer, Reply, extract_from_prompt
from tests.setting_effects import CHAIN, EFFECTS, ask

EMBEDDER = HashEmbedder(DIMENSIONS)


@pytest.fixture(scope="module")
def chain(module_settings: Settings) -> Settings:
    """The chain of facts; tests only read it."""
    with HippoRAG(module_settings, embedder=EMBEDDER) as rag:
        write(rag, CHAIN)
    return module_settings


@pytest.mark.parametrize("name", EFFECTS)
def test_a_setting_of_retrieval(name: str, chain: Settings) -> None:
    effect = EFFECTS[name]
    observed = []
    for value in effect.values:
        with HippoRAG(chain.model_copy(update={**effect.also, name: value}), embedder=EMBEDDER) as rag:
            observed.append(effect.observe(rag))
    assert effect.expected(*observed), observed


def test_limit_and_looks(chain: Settings) -> None:
    with HippoRAG(chain.model_copy(update={"hybrid_facts": 1, "further_facts": 2}), embedder=EMBEDDER) as rag:
        for number in (1, 2, 3):
            assert len(ask(rag, "hybrid", limit=number).passages) == number
            assert len(ask(rag, "hybrid", looks=number).looks) == number


def reading(settings: Settings, llm_server: LLMServer, **changes: Any) -> HippoRAG:
    model = {"llm_model": "scripted", "openai_base_url": llm_server.url, "llm_cache": False}
    return HippoRAG(settings.model_copy(update=model | changes), embedder=EMBEDDER)


@pytest.mark.parametrize("number", [1, 3])
def test_passages_are_read_so_many_at_a_time(number: int, settings: Settings, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply(extract_from_prompt(request), delay=0.1)
    with reading(settings, llm_server, llm_concurrency=number) as rag:
        rag.index([Passage(f"Ada met Bob{i}.", id=str(i)) for i in range(8)])
    assert llm_server.peak_concurrency == number


@pytest.mark.parametrize("number", [100, 3000])
def test_an_answer_may_have_so_many_tokens(number: int, settings: Settings, llm_server: LLMServer) -> None:
    with reading(settings, llm_server, llm_max_tokens=number) as rag:
        rag.index([Passage("Ada met Bob.", id="1")])
    assert {request.body["max_tokens"] for request in llm_server.chats} == {number}


@pytest.mark.parametrize(("size", "passages"), [(100, 3), (1500, 1)])
def test_a_passage_holds_so_many_characters(
    size: int, passages: int, settings: Settings, llm_server: LLMServer
) -> None:
    """Three sentences of 71 characters."""
    text = " ".join(
        f"Ada{i} met Bob{i} " + "in the long garden behind the old house by the river" + "." for i in range(3)
    )
    with reading(settings, llm_server, passage_size=size) as rag:
        rag.index([Passage(text, id="1")])
        assert rag.status().passages == passages


@pytest.mark.parametrize(("threshold", "synonyms"), [(0.8, 1), (0.99, 0)])
def test_phrases_are_synonyms_from_the_threshold_on(threshold: float, synonyms: int, settings: Settings) -> None:
    with HippoRAG(settings.model_copy(update={"synonym_threshold": threshold}), embedder=EMBEDDER) as rag:
        write(rag, [passage("1", ("edda lorne", "met", "otto vann"), ("edda lornes", "saw", "kord"))])
        assert rag.status().synonyms == synonyms


@pytest.mark.parametrize(("characters", "whole"), [(500, False), (12_000, True)])
def test_so_many_characters_are_read_for_an_answer(
    characters: int, whole: bool, settings: Settings, llm_server: LLMServer
) -> None:
    text = " ".join(f"word{i}" for i in range(120))
    llm_server.respond = lambda request: json.dumps({"explanation": "So.", "answer": "Ada", "passages": [1]})
    with reading(settings, llm_server, reading_characters=characters) as rag:
        write(rag, [passage("1", ("a", "r", "b"), text=text)])
        result = rag.answer("Who?", mode="dense")
    assert (text in llm_server.chats[-1].prompt) == whole
    assert (not result.shortened) == whole
