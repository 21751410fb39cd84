"""Answers of a language model in the graph: who pays for what, after interruptions, between processes and tenants."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j.answer_cache import GraphAnswerStore, clear_answers, count_answers
from hipporag_neo4j.answers import EntitiesAnswer
from hipporag_neo4j.domain import Passage
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.errors import DatabaseError, LLMAccessError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.llm.cached_model import KeptAnswer
from hipporag_neo4j.prompts import entity_messages
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, read_content
from tests.llm_server import LLMServer, Reply, Request, error, extract_from_prompt
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

PASSAGES = [Passage(f"Ada{i} met Bob{i} in Lund.", id=str(i)) for i in range(6)]
KEPT = KeptAnswer('{"named_entities": []}', "entities", "scripted", 10, 3)
Open = Callable[..., HippoRAG]


@pytest.fixture
def open_rag(settings: Settings, llm_server: LLMServer) -> Iterator[Open]:
    """Opens the test's namespace with the scripted model, each time as another process would."""
    with ExitStack() as opened:

        def make(**changes: object) -> HippoRAG:
            values = {
                "llm_model": "scripted", "openai_base_url": llm_server.url, "llm_retries": 0, "llm_concurrency": 2
            }  # fmt: skip
            changed = Settings.model_validate(settings.model_dump() | values | changes)
            return opened.enter_context(HippoRAG(changed, embedder=HashEmbedder(DIMENSIONS)))

        yield make


class Failing:
    """An embedder that stops a run in its middle."""

    name = HashEmbedder(DIMENSIONS).name
    dimensions = DIMENSIONS

    def embed(self, texts: object) -> object:
        raise KeyboardInterrupt


def test_a_run_that_was_cut_off_pays_for_no_passage_twice(
    open_rag: Open, settings: Settings, llm_server: LLMServer, driver: "neo4j.Driver", server: TestServer
) -> None:
    rag = open_rag()
    broken: Embedder = Failing()  # type: ignore[assignment]  # it never gives a vector
    rag._embedder = broken
    with pytest.raises(KeyboardInterrupt):
        rag.index(PASSAGES)
    assert read_content(driver, server, settings.namespace).passages == {}
    asked = len(llm_server.chats)
    assert asked == 2 * len(PASSAGES)
    report = open_rag().index(PASSAGES)
    assert (report.written, report.from_cache) == (6, 12)
    assert (report.prompt_tokens, report.completion_tokens) == (0, 0)
    assert len(llm_server.chats) == asked
    runs = driver.execute_query(
        "MATCH (r:HippoRun {namespace: $namespace}) RETURN r.from_cache AS answers ORDER BY answers",
        namespace=settings.namespace,
        database_=server.database,
    ).records
    assert [run["answers"] for run in runs] == [0, 12]


def test_a_refused_account_loses_nothing_that_was_paid(open_rag: Open, llm_server: LLMServer) -> None:
    answered: list[Request] = []

    def until_credit_ends(request: Request) -> str | Reply:
        if len(answered) == 5:
            return error(402, "no credit left")
        answered.append(request)
        return extract_from_prompt(request)

    llm_server.respond = until_credit_ends
    with pytest.raises(LLMAccessError):
        open_rag(llm_concurrency=1).index(PASSAGES)
    llm_server.respond = extract_from_prompt
    before = len(llm_server.chats)
    open_rag().index(PASSAGES)
    assert len(llm_server.chats) - before == 2 * len(PASSAGES) - len(answered)


def test_a_passage_that_failed_is_asked_again(open_rag: Open, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: "no JSON" if "<entities>" in request.prompt else extract_from_prompt(request)
    assert open_rag().index(PASSAGES[:1]).failed == 1
    assert len(llm_server.chats) == 1 + 2
    llm_server.respond = extract_from_prompt
    report = open_rag().index(PASSAGES[:1])
    assert (report.written, report.from_cache) == (1, 1)  # the entities had been read
    assert report.prompt_tokens > 0
    assert len(llm_server.chats) == 3 + 1


@pytest.mark.parametrize("mode", ["hipporag1", "hybrid"])
def test_the_same_question_asks_nothing_again(open_rag: Open, llm_server: LLMServer, mode: str) -> None:
    facts = '{"relevant_facts": [1], "named_entities": ["Lund"]}'
    llm_server.respond = lambda request: facts if "<facts>" in request.prompt else extract_from_prompt(request)
    rag = open_rag(hybrid_facts=5)
    rag.index(PASSAGES)
    before = len(llm_server.chats)
    first = rag.retrieve("Who met Bob1?", mode=mode, looks=2 if mode == "hybrid" else 1)  # type: ignore[arg-type]
    asked = len(llm_server.chats) - before
    assert asked == (2 if mode == "hybrid" else 1)
    again = open_rag(hybrid_facts=5).retrieve("Who met Bob1?", mode=mode, looks=2 if mode == "hybrid" else 1)  # type: ignore[arg-type]
    assert len(llm_server.chats) - before == asked
    assert (first.from_cache, again.from_cache) == (0, asked)
    assert first.prompt_tokens > again.prompt_tokens == 0
    assert (again.passages, again.looks, again.entities) == (first.passages, first.looks, first.entities)


def test_without_the_cache_all_is_asked_and_nothing_kept(open_rag: Open, llm_server: LLMServer) -> None:
    open_rag().index(PASSAGES[:1])
    rag = open_rag(llm_cache=False)
    rag.index([Passage("Eve met Mallory.", id="eve")])
    for _ in range(2):
        rag.retrieve("Who met Eve?", mode="hipporag1")
    assert len(llm_server.chats) == 2 + 2 + 2
    assert sum(one.answers for one in rag.kept_answers()) == 2


def test_a_cache_out_of_reach_is_an_outage_not_another_call(open_rag: Open, llm_server: LLMServer) -> None:
    rag = open_rag()
    model = rag.language_model
    assert model is not None
    rag.database.close()
    with pytest.raises(DatabaseError, match="cache/find_answer"):
        model.answer(entity_messages("Ada met Bob."), EntitiesAnswer)
    assert llm_server.chats == []


def test_tenants_keep_their_own(open_rag: Open, make_namespace: Callable[[], str], llm_server: LLMServer) -> None:
    names = [make_namespace(), make_namespace()]
    for name in names:
        open_rag(namespace=name).index(PASSAGES[:1])
    assert len(llm_server.chats) == 4
    one, other = (open_rag(namespace=name) for name in names)
    assert [(k.kind, k.answers) for k in one.kept_answers()] == [("entities", 1), ("triples", 1)]
    assert one.clear_answers(datetime.now(UTC)) == 2
    assert one.kept_answers() == []
    assert len(other.kept_answers()) == 2


def test_answers_are_counted_and_cleared_by_age(open_rag: Open, driver: "neo4j.Driver", server: TestServer) -> None:
    rag = open_rag()
    rag.init()
    store = GraphAnswerStore(rag.database, rag.namespace)
    for key in ("a", "b", "a"):
        store.keep(key, KEPT)
    assert store.find("a") == KEPT.text
    assert store.find("c") is None
    driver.execute_query(
        "MATCH (a:HippoAnswer {namespace: $namespace}) WITH a ORDER BY a.key LIMIT 1 "
        "SET a.created = datetime() - duration('P10D')",
        namespace=rag.namespace,
        database_=server.database,
    )
    (kept,) = count_answers(rag.database, rag.namespace)
    assert (kept.kind, kept.model, kept.answers, kept.characters) == ("entities", "scripted", 2, 2 * len(KEPT.text))
    assert (kept.prompt_tokens, kept.completion_tokens) == (20, 6)
    assert timedelta(days=9) < kept.newest - kept.oldest < timedelta(days=11)
    now = datetime.now(UTC)
    assert clear_answers(rag.database, rag.namespace, now - timedelta(days=11)) == 0
    assert clear_answers(rag.database, rag.namespace, now - timedelta(days=9)) == 1
    assert clear_answers(rag.database, rag.namespace, datetime.now(UTC)) == 1


def test_two_writers_of_the_same_key_keep_one_node(open_rag: Open, driver: "neo4j.Driver", server: TestServer) -> None:
    rag = open_rag()
    rag.init()
    with ThreadPoolExecutor(8) as pool:
        for key in ("a", "b"):
            list(pool.map(lambda _, key=key: GraphAnswerStore(rag.database, rag.namespace).keep(key, KEPT), range(16)))
    assert [one.answers for one in rag.kept_answers()] == [2]
