"""What `retrieve` says about the language model that it asked: its cost, and that it gave no usable answer."""

import json

from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.acceptance.command_line import CommandLine
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.llm_server import LLMServer, Reply

QUESTION = "Where was the teacher of edda lorne born?"


def test_tokens_a_cut_off_answer_and_an_unusable_one_are_said(
    line: CommandLine, settings: Settings, llm_server: LLMServer
) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS, "scripted-embeddings")) as rag:
        write(
            rag,
            [
                passage("1", ("edda lorne", "studied under", "otto vann")),
                passage("2", ("otto vann", "born in", "kord")),
            ],
        )
    answer = json.dumps({"relevant_facts": [1, 7], "named_entities": ["Edda Lorne"]})
    llm_server.script = [Reply(answer, finish_reason="length")]
    shown = line.run("retrieve", QUESTION, HIPPORAG_LLM_MODEL="scripted").stdout
    spent = sum(len(m["content"].split()) for m in llm_server.chats[0].body["messages"])
    assert f"{spent:,} tokens read, {len(answer.split())} written by the language model." in shown
    assert "Look 1: 1 of 2 facts kept, 1 unknown numbers" in shown
    assert "cut off" in " ".join(shown.split())

    llm_server.respond = lambda request: "I can't help with that."
    result = line.read("retrieve", QUESTION, HIPPORAG_LLM_MODEL="scripted")
    assert result["completion_tokens"] == 2 * 5
    assert result["prompt_tokens"] > 2 * spent
    (look,) = result["looks"]
    assert look["kept"] == look["shown"]
    assert "asked twice" in look["problem"]
    assert (look["truncated"], result["fallback"]) == (False, None)
