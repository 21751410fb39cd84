"""IRCoT: thoughts over the real HTTP protocol, searches by shared words, merged by hand."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hipporag_neo4j.answering.answer_question import answer_question
from hipporag_neo4j.answering.retrieve_by_steps import retrieve_by_steps
from hipporag_neo4j.answering.sources import BlockingAnswerSources
from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.domain import RetrievalResult, Step
from hipporag_neo4j.errors import InputError, LLMError
from hipporag_neo4j.llm.cached_model import CachedModel, KeptAnswer
from tests.llm_server import LLMServer, error
from tests.unit.answering.conftest import MakeSources, search
from tests.unit.conftest import MakeModel

QUESTION = "Where was the teacher of the founder of Brindle Observatory born?"
TEACHER = '{"thought": "Edda Lorne founded it; who taught Edda Lorne?", "answer": null}'
BIRTH = '{"thought": "Otto Vann taught her; where was Otto Vann born?", "answer": null}'
DONE = '{"thought": "Otto Vann was born in Vessland.", "answer": "Vessland"}'


def retrieve(sources: BlockingAnswerSources, **changes: Any) -> RetrievalResult:
    values: dict[str, Any] = {"steps": 4, "limit": 10, "reading": 5, "characters": 9000} | changes
    return finish(retrieve_by_steps(sources, QUESTION, **values))


def test_each_thought_is_searched_with_until_the_answer_is_there(
    make_sources: MakeSources, llm_server: LLMServer
) -> None:
    llm_server.script = [TEACHER, BIRTH, DONE]
    seen: list[Step] = []
    result = retrieve(make_sources(), on_step=seen.append)
    assert result.steps == tuple(seen)
    assert [step.thought for step in seen] == [None, *(json.loads(s)["thought"] for s in (TEACHER, BIRTH, DONE))]
    # "Brindle Observatory" is in one passage, "Edda Lorne" in two, "Otto Vann" in two.
    assert [step.new for step in seen] == [("founder",), ("teacher",), ("birth",), ()]
    assert seen[-1].answer == "Vessland"
    assert seen[-1].retrieval is None
    # founder 20 of 20; founder and teacher 20 of 20; birth and teacher 20 of 20: all 1, in the order of the searches.
    assert [(p.id, p.score) for p in result.passages] == [("founder", 1.0), ("teacher", 1.0), ("birth", 1.0)]
    assert (result.question, result.mode, result.fallback) == (QUESTION, "bm25", None)
    thinking = sum(len(m["content"].split()) for chat in llm_server.chats for m in chat.body["messages"])
    assert result.prompt_tokens == 3 * 100 + thinking
    assert result.timings["search"] == 3.0
    assert set(result.timings) == {"search", "think", "total"}


def test_the_model_sees_the_best_passages_and_its_thoughts(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, BIRTH, DONE]
    retrieve(make_sources())
    first, second, third = (chat.prompt for chat in llm_server.chats)
    assert "<thoughts>\nnone\n</thoughts>" in first
    assert "Otto Vann" not in first
    assert "<thoughts>\n1. Edda Lorne founded it; who taught Edda Lorne?\n</thoughts>" in second
    assert "\n2. Otto Vann taught her; where was Otto Vann born?\n</thoughts>" in third
    assert 'number="3">\nOtto Vann\nOtto Vann was born in Vessland.' in third


def test_it_ends_after_so_many_searches(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, BIRTH, DONE]
    assert len(retrieve(make_sources(), steps=2).steps) == 2
    assert len(llm_server.chats) == 1
    assert len(retrieve(make_sources(), steps=1).steps) == 1
    assert len(llm_server.chats) == 1


def test_limit_cuts_after_merging_and_reading_what_is_read(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, BIRTH, DONE]
    result = retrieve(make_sources(), limit=2, reading=1)
    assert [p.id for p in result.passages] == ["founder", "teacher"]
    assert all(chat.prompt.count("<passage ") == 1 for chat in llm_server.chats)


def test_entities_are_those_of_the_question_alone(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, DONE]
    result = retrieve(make_sources(), entities=["Mirr"])
    assert result.entities == ("Mirr",)
    assert [s.retrieval.entities for s in result.steps if s.retrieval] == [("Mirr",), ()]


def test_a_fallback_of_one_search_is_told(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, DONE]
    assert retrieve(make_sources(), entities=[]).fallback == "Search 1 of 2: No entity."


def test_a_repeated_thought_ends_it(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, TEACHER.replace("who taught", "Who  taught"), DONE]
    result = retrieve(make_sources())
    assert "repeats an earlier one" in str(result.steps[-1].problem)
    assert [p.id for p in result.passages] == ["founder", "teacher"]
    assert len(llm_server.chats) == 2


def test_a_thought_that_cannot_be_read_ends_it_and_is_told(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, "I am lost.", "Still lost."]
    result = retrieve(make_sources())
    assert '"Still lost." (asked twice)' in str(result.steps[-1].problem)
    assert [p.id for p in result.passages] == ["founder", "teacher"]
    assert result.completion_tokens == 2 * 10 + len(TEACHER.split()) + 3 + 2


def test_an_outage_is_an_error(make_sources: MakeSources, llm_server: LLMServer) -> None:
    llm_server.script = [TEACHER, error(503, "down"), error(503, "down")]
    with pytest.raises(LLMError, match="down"):
        retrieve(make_sources(llm_retries=1))


def test_nothing_found_is_nothing_to_think_about(make_sources: MakeSources, llm_server: LLMServer) -> None:
    values: dict[str, Any] = {"steps": 4, "limit": 5, "reading": 5, "characters": 900}
    assert finish(retrieve_by_steps(make_sources(), "what?", **values)).passages == ()
    assert not llm_server.chats


def test_the_answer_is_read_in_the_merged_passages(make_sources: MakeSources, llm_server: LLMServer) -> None:
    final = (
        '{"explanation": "Otto Vann, who taught her [2], was born there [3].", "answer": "Vessland", "passages": [3]}'
    )
    llm_server.script = [TEACHER, BIRTH, DONE, final]
    result = finish(answer_question(make_sources(), QUESTION, passages=3, steps=4, characters=9000))
    assert (result.answer, [p.id for p in result.passages]) == ("Vessland", ["birth"])
    assert len(result.retrieval.steps) == 4
    assert set(result.timings) == {"search", "think", "answer", "total"}


class Kept(dict[str, KeptAnswer]):
    """An AnswerStore in memory."""

    def find(self, key: str) -> str | None:
        return self[key].text if key in self else None

    def find_all(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: self[key].text for key in keys if key in self}

    def keep(self, key: str, answer: KeptAnswer) -> None:
        self[key] = answer


def test_the_same_again_asks_nothing_and_says_so(make_model: MakeModel, llm_server: LLMServer) -> None:
    final = '{"explanation": "There [3].", "answer": "Vessland", "passages": [3]}'
    llm_server.script = [TEACHER, BIRTH, DONE, final]
    sources = BlockingAnswerSources(search, CachedModel(make_model(), Kept()))
    told: list[list[str]] = [[], []]
    first, again = (
        finish(answer_question(sources, QUESTION, passages=3, steps=4, characters=9000, on_text=pieces.append))
        for pieces in told
    )
    assert len(llm_server.chats) == 4
    assert (again.answer, again.passages) == (first.answer, first.passages)
    assert "".join(told[0]) == "".join(told[1]) == "There [3].\n\nAnswer: Vessland"
    assert (first.from_cache, first.retrieval.from_cache) == (False, 0)
    assert (again.from_cache, again.retrieval.from_cache) == (True, 3)
    assert again.prompt_tokens == 3 * 100  # those of the searches


@pytest.mark.parametrize("steps", [0, 21, "4"])
def test_steps_that_cannot_be_used(make_sources: MakeSources, steps: Any) -> None:
    with pytest.raises(InputError, match="take 1 to 20"):
        retrieve(make_sources(), steps=steps)
