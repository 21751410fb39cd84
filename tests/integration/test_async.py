"""The asynchronous client finds what the blocking one finds, never blocks its loop, and leaves nothing behind."""

import asyncio
import gc
import inspect
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import neo4j
import pytest

import hipporag_neo4j
from hipporag_neo4j import AsyncHippoRAG, HippoRAG
from hipporag_neo4j.database import AsyncDatabase
from hipporag_neo4j.domain import MODES, Mode, Passage
from hipporag_neo4j.errors import ConfigurationError, GraphNotFoundError, InputError
from hipporag_neo4j.projection import projection_prefix
from hipporag_neo4j.retrieval.filter_facts import Verdict
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all
from tests.llm_server import LLMServer, Reply

EMBEDDER = HashEmbedder(DIMENSIONS)
SAMPLE = Path(hipporag_neo4j.__file__).parent / "sample"
QUESTION = "Who wrote the first program?"
ENTITIES = ["ada lovelace"]


@pytest.fixture
def sample(settings: Settings) -> Iterator[HippoRAG]:
    """The bundled sample corpus."""
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.import_openie(SAMPLE / "openie.json")
        yield rag


def test_every_mode_finds_the_same(sample: HippoRAG) -> None:
    async def ask() -> dict[str, Any]:
        async with AsyncHippoRAG(sample.settings, embedder=EMBEDDER) as rag:
            results = [
                rag.retrieve(QUESTION, mode=cast(Mode, mode), entities=ENTITIES, fact_filter=keep_all) for mode in MODES
            ]
            return dict(zip(MODES, await asyncio.gather(*results), strict=True))

    found = asyncio.run(ask(), debug=True)
    for mode in MODES:
        expected = sample.retrieve(QUESTION, mode=cast(Mode, mode), entities=ENTITIES, fact_filter=keep_all)
        assert found[mode].passages == expected.passages, mode
        assert found[mode].seeds == expected.seeds


def test_errors_are_the_same(settings: Settings, sample: HippoRAG) -> None:
    async def ask() -> None:
        async with AsyncHippoRAG(settings, embedder=EMBEDDER) as rag:
            with pytest.raises(InputError, match="empty"):
                await rag.retrieve(" ", mode="bm25")
        async with AsyncHippoRAG(settings, namespace="t-nothing-here", embedder=EMBEDDER) as rag:
            with pytest.raises(GraphNotFoundError):
                await rag.retrieve(QUESTION, mode="bm25")

        with pytest.raises(ConfigurationError, match="closed"):
            await rag.status()

    asyncio.run(ask())


def test_it_has_every_method_of_the_blocking_client() -> None:
    def public(client: type) -> set[str]:
        return {name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))}

    assert public(HippoRAG) - public(AsyncHippoRAG) == set()
    asked = inspect.signature(AsyncHippoRAG.retrieve).parameters
    assert asked.keys() == inspect.signature(HippoRAG.retrieve).parameters.keys()


def test_a_slow_decision_does_not_block_the_loop(sample: HippoRAG) -> None:
    def slow(question: str, facts: Any, known: Any) -> Verdict:
        time.sleep(1.5)
        return keep_all(question, facts, known)

    async def ask() -> float:
        gaps = [0.0]

        async def beat() -> None:
            while True:
                before = time.monotonic()
                await asyncio.sleep(0.01)
                gaps.append(time.monotonic() - before)

        async with AsyncHippoRAG(sample.settings, embedder=EMBEDDER) as rag:
            heart = asyncio.ensure_future(beat())
            await rag.retrieve(QUESTION, entities=ENTITIES, fact_filter=slow)
            heart.cancel()
        return max(gaps)

    assert asyncio.run(ask()) < 1.0


def test_a_cancelled_search_leaves_no_task_and_no_connection_in_use(sample: HippoRAG) -> None:
    async def ask() -> None:
        async with AsyncHippoRAG(sample.settings, embedder=EMBEDDER) as rag:
            for delay in (0.0, 0.01, 0.03, 0.06, 0.1):
                task = asyncio.ensure_future(rag.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES))
                await asyncio.sleep(delay)
                task.cancel()
                await asyncio.wait([task])
                assert len(asyncio.all_tasks()) == 1
                _, database = await rag._open()
                pool: Any = cast(Any, database._driver)._pool
                assert all(pool.in_use_connection_count(address) == 0 for address in pool.connections)
            assert (await rag.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES)).passages

    asyncio.run(ask())


def test_a_cancelled_run_stops_and_the_next_goes_on(settings: Settings, llm_server: LLMServer) -> None:
    own = settings.model_copy(update={"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_concurrency": 2})
    passages = [Passage(f"Person{n} Alba met Town{n} Berg.", id=str(n)) for n in range(100)]

    async def index() -> tuple[int, int]:
        async with AsyncHippoRAG(own, embedder=EMBEDDER) as rag:
            written = asyncio.Event()
            loop = asyncio.get_running_loop()

            def hear(what: str, done: int, total: int | None) -> None:
                if what == "passages":
                    loop.call_soon_threadsafe(written.set)

            task = asyncio.ensure_future(rag.index(passages, progress=hear))
            await written.wait()
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            there = (await rag.status()).passages
            await rag.index(passages)
            return there, (await rag.status()).passages

    before, after = asyncio.run(index())
    assert 0 < before < 100
    assert after == 100


def test_a_search_cancelled_while_it_projects_leaves_nothing_half_done(sample: HippoRAG) -> None:
    """Neither an announcement that others would wait for nor a projection that nobody has checked."""
    after: list[str] = []

    async def ask() -> None:
        async with AsyncHippoRAG(sample.settings, embedder=EMBEDDER) as rag:
            _, database = await rag._open()
            run, sent = database.run, asyncio.Event()

            async def slow(query: str, /, **parameters: Any) -> Any:
                rows = await run(query, **parameters)
                if sent.is_set():
                    after.append(query)
                if query.startswith("projection/project_"):
                    sent.set()
                    await asyncio.sleep(0.1)
                return rows

            database.run = slow  # type: ignore[method-assign]
            task = asyncio.ensure_future(rag.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES))
            await sent.wait()
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()

    asyncio.run(ask())
    prefix = projection_prefix(sample.namespace)
    names = [row["graph"] for row in sample.database.run("projection/list_projections", prefix=prefix)]
    assert len(names) == 1
    assert ".building." not in names[0]
    assert after[:2] == ["projection/find_projection", "projection/end_building"]


def test_a_slow_language_model_does_not_block_the_loop_and_a_cancelled_call_is_broken_off(
    sample: HippoRAG, llm_server: LLMServer
) -> None:
    """The model takes longer than anybody waits; closing waits for what still runs in threads."""
    own = {"llm_model": "scripted", "openai_base_url": llm_server.url, "llm_timeout": 60.0}
    llm_server.script = [Reply("{}", delay=8.0)] * 3

    async def ask() -> tuple[float, float]:
        gaps = [0.0]

        async def beat() -> None:
            while True:
                before = time.monotonic()
                await asyncio.sleep(0.01)
                gaps.append(time.monotonic() - before)

        rag = AsyncHippoRAG(sample.settings.model_copy(update=own), embedder=EMBEDDER)
        async with rag:
            heart = asyncio.ensure_future(beat())
            calls = [
                asyncio.ensure_future(rag.retrieve(QUESTION)),
                asyncio.ensure_future(rag.retrieve(QUESTION, mode="hipporag1")),
                asyncio.ensure_future(rag.answer(QUESTION, mode="dense")),
            ]
            while len(llm_server.chats) < len(calls):
                await asyncio.sleep(0.05)
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)
            heart.cancel()
            begun = time.monotonic()
        return max(gaps), time.monotonic() - begun

    longest_gap, closing = asyncio.run(ask())
    assert longest_gap < 1.0
    assert closing < 4.0


def connections(driver: neo4j.Driver) -> set[str]:
    """Ids of the connections of this product that the server has."""
    rows = driver.execute_query("CALL dbms.listConnections() YIELD connectionId, userAgent").records
    return {row["connectionId"] for row in rows if row["userAgent"].startswith("hipporag-neo4j/")}


def assert_gone(driver: neo4j.Driver, before: set[str]) -> None:
    """The server has heard of the end of all connections since."""
    until = time.monotonic() + 10
    while (left := connections(driver) - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == set()


def test_a_program_that_is_interrupted_ends_its_calls(sample: HippoRAG, llm_server: LLMServer) -> None:
    own = sample.settings.model_copy(update={"openai_base_url": llm_server.url, "llm_model": "scripted"})
    llm_server.script = [Reply("{}", delay=30.0)]
    calls: list[asyncio.Future[Any]] = []

    async def program() -> None:
        async with AsyncHippoRAG(own, embedder=EMBEDDER) as rag:
            calls.append(asyncio.ensure_future(rag.answer(QUESTION, mode="bm25")))
            await asyncio.Event().wait()

    async def interrupted() -> float:
        running = asyncio.ensure_future(program())
        while not llm_server.chats:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()
        return time.monotonic() - began

    assert asyncio.run(interrupted()) < 15
    assert calls[0].cancelled()


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.02, 0.05])
def test_closing_during_the_first_call_leaves_no_connection(
    sample: HippoRAG, driver: neo4j.Driver, delay: float
) -> None:
    before = connections(driver)

    async def ask() -> Any:
        rag = AsyncHippoRAG(sample.settings, embedder=EMBEDDER)
        call = asyncio.ensure_future(rag.retrieve(QUESTION, mode="bm25"))
        await asyncio.sleep(delay)
        await asyncio.gather(rag.close(), rag.close())
        assert call.done()
        return call.result()

    assert asyncio.run(ask()).passages == sample.retrieve(QUESTION, mode="bm25").passages
    assert_gone(driver, before)


def test_closing_waits_for_the_calls_under_way_and_refuses_later_ones(sample: HippoRAG) -> None:
    async def ask() -> list[Any]:
        rag = AsyncHippoRAG(sample.settings, embedder=EMBEDDER)
        await rag.status()
        calls: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(rag.retrieve(QUESTION, mode=mode, entities=ENTITIES))
            for mode in ("hipporag1", "dense", "bm25")
        ] + [asyncio.ensure_future(rag.inspect("facts-of-phrase", phrase="oda merrin"))]
        await asyncio.sleep(0.002)
        await rag.close()
        assert all(call.done() for call in calls)
        with pytest.raises(ConfigurationError, match="was closed"):
            await rag.retrieve(QUESTION, mode="bm25")
        with pytest.raises(ConfigurationError, match="was closed"):
            await calls[0].result().explain()
        return [call.result() for call in calls]

    assert all(asyncio.run(ask()))


def test_an_iterator_that_ends_in_a_callback_hangs_nobody(settings: Settings) -> None:
    async def run() -> None:
        async with AsyncHippoRAG(settings, embedder=EMBEDDER) as rag:
            with pytest.raises(RuntimeError, match="raised StopIteration"):
                await rag.import_openie(SAMPLE / "openie.json", progress=lambda *_: next(iter([])))

    asyncio.run(asyncio.wait_for(run(), 60))


def test_closing_can_be_broken_off_and_ends_the_calls_under_way(settings: Settings, llm_server: LLMServer) -> None:
    """A run in a task of its own stops after the batch under way."""
    own = settings.model_copy(update={"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_concurrency": 2})
    passages = [Passage(f"Person{n} Alba met Town{n} Berg.", id=str(n)) for n in range(100)]

    async def interrupted() -> tuple[int, bool, float]:
        rag = AsyncHippoRAG(own, embedder=EMBEDDER)
        written = asyncio.Event()
        loop = asyncio.get_running_loop()

        def hear(what: str, *_: object) -> None:
            if what == "passages":
                loop.call_soon_threadsafe(written.set)

        run = asyncio.ensure_future(rag.index(passages, progress=hear))
        await written.wait()
        there = (await rag.status()).passages
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(rag.close(), 0.01)
        assert run.done()
        with pytest.raises(ConfigurationError, match="was closed"):
            await rag.status()
        return there, run.cancelled(), time.monotonic() - began

    there, cancelled, took = asyncio.run(interrupted())
    assert there < 100
    assert cancelled
    assert took < 20


def test_another_event_loop_is_refused(sample: HippoRAG) -> None:
    rag = AsyncHippoRAG(sample.settings, embedder=EMBEDDER)
    with asyncio.Runner() as own, asyncio.Runner() as other:
        result = own.run(rag.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES))
        calls: list[Any] = [rag.status(), rag.retrieve(QUESTION, mode="bm25"), result.explain(), rag.close()]
        for call in calls:
            with pytest.raises(ConfigurationError, match="another event loop"):
                other.run(call)
        explanation = own.run(cast(Any, result.explain()))
        own.run(rag.close())
    asyncio.run(rag.close())
    expected = sample.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES).explain()
    assert explanation.passages == expected.passages
    assert explanation.passages[0].shares


@pytest.mark.filterwarnings("ignore")  # that the driver on the loop was never closed
def test_after_the_end_of_its_loop_it_can_still_be_closed(sample: HippoRAG, driver: neo4j.Driver) -> None:
    before = connections(driver)
    rag = AsyncHippoRAG(sample.settings, embedder=EMBEDDER)
    assert rag.namespace == sample.namespace
    asyncio.run(rag.status())
    asyncio.run(rag.close())
    with pytest.raises(ConfigurationError, match="another event loop"):
        asyncio.run(rag.status())
    del rag
    gc.collect()
    assert_gone(driver, before)


def test_what_an_answer_was_read_in_is_explained_on_the_loop(sample: HippoRAG, llm_server: LLMServer) -> None:
    own = {"llm_model": "scripted", "openai_base_url": llm_server.url}
    llm_server.script = [Reply('{"explanation": "It is said.", "answer": "Oda", "passages": [1]}')]

    async def ask() -> Any:
        async with AsyncHippoRAG(sample.settings.model_copy(update=own), embedder=EMBEDDER) as rag:
            answer = await rag.answer(QUESTION, mode="hipporag1", entities=ENTITIES)
            with pytest.raises(InputError, match="Of an answer, explain its `retrieval`"):
                await rag.explain(cast(Any, answer))
            return await cast(Any, answer.retrieval.explain())

    found = sample.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES, limit=5)
    assert asyncio.run(ask()).passages == found.explain().passages


def test_what_fails_while_it_connects_leaves_nothing_open(
    sample: HippoRAG, driver: neo4j.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = connections(driver)

    async def fail(*_: Any, **__: Any) -> Any:
        raise OSError("no more file handles")

    monkeypatch.setattr(AsyncDatabase, "connect", fail)

    async def ask() -> None:
        rag = AsyncHippoRAG(sample.settings, embedder=EMBEDDER)
        with pytest.raises(OSError, match="no more file handles"):
            await rag.status()
        assert_gone(driver, before)
        await rag.close()

    asyncio.run(ask())


def test_drivers_that_are_handed_in_are_used_and_stay_open(sample: HippoRAG) -> None:
    own = sample.settings
    password = own.neo4j_password.get_secret_value() if own.neo4j_password is not None else ""
    auth = (own.neo4j_username, password)
    # Nothing answers at the settings' own address.
    nowhere = own.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:9"})

    async def ask() -> None:
        uri = str(own.neo4j_uri)
        with neo4j.GraphDatabase.driver(uri, auth=auth) as blocking:
            async with neo4j.AsyncGraphDatabase.driver(uri, auth=auth) as driver:
                both = AsyncHippoRAG(nowhere, driver=driver, blocking_driver=blocking, embedder=EMBEDDER)
                async with both as rag:
                    found = await rag.retrieve(QUESTION, mode="hipporag1", entities=ENTITIES)
                    assert (await rag.status()).passages == sample.status().passages
                    assert (await rag.explain(found)).passages[0].shares
                await driver.verify_connectivity()
                blocking.verify_connectivity()
                with pytest.raises(ConfigurationError, match="handed in"):
                    await AsyncHippoRAG(nowhere, blocking_driver=blocking, embedder=EMBEDDER).status()

    asyncio.run(ask())
