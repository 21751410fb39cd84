"""What is kept, what is asked again: a cached model over a scripted endpoint and a store in memory."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from hipporag_neo4j.answers import EntitiesAnswer, FactsAnswer, FurtherFactsAnswer, TriplesAnswer
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import DatabaseError, LLMError, ServerUnavailableError, UnreadableAnswerError
from hipporag_neo4j.llm import Answer, ask
from hipporag_neo4j.llm.cached_model import CachedModel, KeptAnswer, key_of, kind_of
from tests.llm_server import LLMServer, Reply, error
from tests.unit.conftest import MakeModel

ASKED = [Message("system", "List names as JSON."), Message("user", "Ada lived in Lund.")]
LUND = '{"named_entities": ["Lund"]}'
ADA = '{"named_entities": ["Ada"]}'


class MemoryStore:
    """An AnswerStore in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptAnswer] = {}

    def find(self, key: str) -> str | None:
        return self.kept[key].text if key in self.kept else None

    def find_all(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: self.kept[key].text for key in keys if key in self.kept}

    def keep(self, key: str, answer: KeptAnswer) -> None:
        self.kept[key] = answer


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def cached(make_model: MakeModel, store: MemoryStore) -> Callable[..., CachedModel]:
    return lambda **changes: CachedModel(make_model(**changes), store)


Cached = Callable[..., CachedModel]


def test_the_same_is_asked_once_and_costs_nothing_again(
    cached: Cached, store: MemoryStore, llm_server: LLMServer
) -> None:
    llm_server.script = [LUND]
    first, again = (cached().answer(ASKED, EntitiesAnswer) for _ in range(2))
    assert (first.value, first.from_cache, first.prompt_tokens) == (again.value, False, 8)
    assert (again.from_cache, again.prompt_tokens, again.completion_tokens) == (True, 0, 0)
    assert list(store.kept.values()) == [KeptAnswer(LUND, "entities", "scripted", 8, 2)]
    assert len(llm_server.chats) == 1


def test_whatever_changes_the_answer_is_asked_anew(
    cached: Cached, llm_server: LLMServer, make_model: MakeModel
) -> None:
    llm_server.respond = lambda request: LUND
    cached().answer(ASKED, EntitiesAnswer)
    cached(llm_max_tokens=100).answer(ASKED, EntitiesAnswer)
    cached(openai_base_url=llm_server.url.replace("127.0.0.1", "localhost")).answer(ASKED, EntitiesAnswer)
    cached().answer([*ASKED[:-1], Message("user", "Ada lived in Lund!")], EntitiesAnswer)
    cached().answer([Message("user", ASKED[0].content), ASKED[1]], EntitiesAnswer)
    assert len(llm_server.chats) == 5
    identity = make_model().identity
    keys = {key_of(identity, ASKED, shape) for shape in (EntitiesAnswer, TriplesAnswer, FactsAnswer)}
    assert len(keys | {key_of(("another", *identity[1:]), ASKED, EntitiesAnswer)}) == 4


def test_another_key_or_way_of_asking_for_json_changes_nothing(cached: Cached, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: LUND
    cached(openai_api_key="sk-one").answer(ASKED, EntitiesAnswer)
    llm_server.refuses = {"json_schema"}
    assert cached(openai_api_key="sk-two").answer(ASKED, EntitiesAnswer).from_cache
    other = [Message("user", "Bob")]
    assert not cached().answer(other, EntitiesAnswer).from_cache  # asked without a schema, as this endpoint wants
    llm_server.refuses = set()
    assert cached().answer(other, EntitiesAnswer).from_cache


@pytest.mark.parametrize(
    "reply",
    [
        "Certainly!",
        "",
        Reply(None, refusal="I can't help with that."),
        Reply(LUND, finish_reason="length"),
        '{"named_entities": ["Lund", "Ad',
        Reply(LUND, finish_reason="content_filter"),
        error(400, "the text is flagged"),
    ],
    ids=["prose", "empty", "refused", "cut off", "cut off unsaid", "filtered", "failed"],
)
def test_what_is_no_good_answer_is_asked_again(
    cached: Cached, store: MemoryStore, llm_server: LLMServer, reply: str | Reply
) -> None:
    llm_server.script = [reply, ADA]
    model = cached(llm_retries=0)
    with suppress(UnreadableAnswerError, LLMError):
        model.answer(ASKED, EntitiesAnswer)
    assert store.kept == {}
    assert model.answer(ASKED, EntitiesAnswer).value.named_entities == ("Ada",)
    assert model.answer(ASKED, EntitiesAnswer).from_cache
    assert len(llm_server.chats) == 2


def test_what_took_two_attempts_is_kept_for_the_first(cached: Cached, llm_server: LLMServer) -> None:
    llm_server.script = ["Certainly!", LUND]
    assert ask(cached(), ASKED, EntitiesAnswer).completion_tokens == 1 + 2
    again = ask(cached(), ASKED, EntitiesAnswer)
    assert again == Answer(again.value, raw=LUND, from_cache=True)
    assert again.value.named_entities == ("Lund",)
    assert len(llm_server.chats) == 2


def test_a_kept_text_that_is_unreadable_now_is_replaced(
    cached: Cached, store: MemoryStore, llm_server: LLMServer
) -> None:
    model = cached()
    llm_server.script = [LUND, ADA]
    model.answer(ASKED, EntitiesAnswer)
    (key,) = store.kept
    store.kept[key] = KeptAnswer("what an older version could read", "entities", "scripted", 1, 1)
    assert model.answer(ASKED, EntitiesAnswer).value.named_entities == ("Ada",)
    assert store.kept[key].text == ADA


def test_threads_that_ask_the_same_wait_for_one_answer(cached: Cached, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply(LUND, delay=0.2)
    model = cached()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: model.answer(ASKED, EntitiesAnswer), range(8)))
    assert sorted(answer.from_cache for answer in answers) == [False] + [True] * 7
    assert len(llm_server.chats) == 1


def test_threads_that_ask_different_things_do_not_wait(cached: Cached, llm_server: LLMServer) -> None:
    llm_server.script = [LUND]
    model = cached()
    model.answer(ASKED, EntitiesAnswer)  # the first call of a process goes alone
    llm_server.respond = lambda request: Reply(LUND, delay=0.2)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: model.answer([Message("user", str(i))], EntitiesAnswer), range(4)))
    assert llm_server.peak_concurrency == 4


def test_when_the_one_fails_the_next_asks_itself(cached: Cached, llm_server: LLMServer) -> None:
    begun = threading.Event()

    def slow(_: Any) -> Reply:
        begun.set()
        return Reply(LUND, delay=0.1)

    llm_server.script = [error(400, "no")]
    llm_server.respond = slow
    model = cached(llm_retries=0)
    with ThreadPoolExecutor(4) as pool:
        ended = [pool.submit(model.answer, ASKED, EntitiesAnswer) for _ in range(4)]
    failed = [future for future in ended if future.exception() is not None]
    assert len(failed) == 1
    assert begun.is_set()
    assert len(llm_server.chats) == 2


def test_a_store_that_fails_is_an_error(make_model: MakeModel, llm_server: LLMServer) -> None:
    class Away(MemoryStore):
        def find(self, key: str) -> str | None:
            raise ServerUnavailableError("Neo4j can't be reached.")

    llm_server.respond = lambda request: LUND
    with pytest.raises(DatabaseError, match="can't be reached"):
        CachedModel(make_model(), Away()).answer(ASKED, EntitiesAnswer)
    assert llm_server.chats == []


def test_half_a_surrogate_pair_can_be_asked_and_kept(cached: Cached, store: MemoryStore, llm_server: LLMServer) -> None:
    llm_server.script = [Reply(body='{"choices": [{"message": {"content": "[\\"a\\ud83d\\"]"}}]}')]
    asked = [Message("user", "half \ud83d")]
    first, again = (cached().answer(asked, EntitiesAnswer) for _ in range(2))
    assert again.from_cache
    assert again.value == first.value
    (kept,) = store.kept.values()
    assert kept.text.encode()


def test_kinds_are_named_by_their_shape() -> None:
    shapes = (EntitiesAnswer, TriplesAnswer, FactsAnswer, FurtherFactsAnswer)
    assert [kind_of(shape) for shape in shapes] == ["entities", "triples", "facts", "further facts"]


class Ear:
    """A Listener that remembers what it heard."""

    shown = False

    def __init__(self) -> None:
        self.heard: list[str] = []

    def begin(self) -> None:
        self.heard.append("begin")

    def hear(self, piece: str) -> None:
        self.heard.append(piece)


def test_a_kept_answer_is_heard_at_once(cached: Cached, llm_server: LLMServer) -> None:
    llm_server.script = [LUND]
    cached().answer(ASKED, EntitiesAnswer)
    ear = Ear()
    cached().answer(ASKED, EntitiesAnswer, ear)
    assert ear.heard == ["begin", LUND]
