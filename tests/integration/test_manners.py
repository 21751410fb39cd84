"""Manners on somebody's server: readers don't write, statements say whose they are and end in time, nobody is told."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from typing import Any, LiteralString, cast

import neo4j
import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.domain import MODES, Mode, Passage
from hipporag_neo4j.errors import DatabaseError, QueryError
from hipporag_neo4j.evaluation import GoldPassage, Question, find_gold, run
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS
from tests.llm_server import Request, extract_from_prompt, running_llm_server
from tests.servers import TestServer, digest

PASSAGES = [
    Passage("Ada met Bob in Lund.", id="1", title="Ada", metadata={"test_year": 2000}),
    Passage("Bob met Cleo in Rome.", id="2", metadata={"test_year": 2001}),
    Passage("Cleo met Dora in Oslo.", id="3", metadata={"test_year": 2002}),
]
AGENT = f"hipporag-neo4j/{version('hipporag-neo4j')}"


class ReadingDriver:
    """A driver whose sessions only read: the server itself refuses writes in them, and to ask for others is an error.

    `modes` has the access mode of every session.
    """

    def __init__(self, driver: neo4j.Driver) -> None:
        self._driver = driver
        self.modes: list[str] = []

    def session(self, **config: Any) -> neo4j.Session:
        self.modes.append(config["default_access_mode"])
        session = self._driver.session(**(config | {"default_access_mode": neo4j.READ_ACCESS}))
        session.execute_write = session.execute_read  # type: ignore[method-assign]  # so that a write is refused there
        return session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)


def answer(request: Request) -> str:
    """A model that keeps every fact, thinks once, and answers."""
    if "<thoughts>" in request.prompt:
        return '{"thought": "Bob met Cleo in Rome.", "answer": "Cleo"}'
    if "<passages>" in request.prompt:
        return '{"explanation": "It says so [1].", "answer": "Bob", "passages": [1]}'
    if "<known>" in request.prompt:
        return '{"relevant_facts": [1]}'
    if "<facts>" in request.prompt:
        return '{"relevant_facts": [1, 2], "named_entities": ["Bob"]}'
    return extract_from_prompt(request)


@pytest.fixture(scope="module")
def with_model(module_settings: Settings) -> Iterator[Settings]:
    """Settings with a scripted model, over a graph of three passages that all tests read."""
    with running_llm_server() as llm_server:
        llm_server.respond = answer
        settings = module_settings.model_copy(update={"llm_model": "scripted", "openai_base_url": llm_server.url})
        with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
            rag.declare_filterable({"test_year": "int"})
            rag.index(PASSAGES)
        yield settings


@pytest.fixture
def sessions(driver: neo4j.Driver) -> ReadingDriver:
    """The driver of `reader`."""
    return ReadingDriver(driver)


@pytest.fixture
def reader(with_model: Settings, sessions: ReadingDriver) -> Iterator[HippoRAG]:
    """A client that can't write, without the kept answers."""
    settings = with_model.model_copy(update={"llm_cache": False})
    with HippoRAG(settings, driver=cast(neo4j.Driver, sessions), embedder=HashEmbedder(DIMENSIONS)) as rag:
        yield rag


QUESTION = Question("q", "Whom did Bob meet?", (GoldPassage(id="2"),))
USES: dict[str, Callable[[HippoRAG], object]] = {
    **{mode: partial(HippoRAG.retrieve, question=QUESTION.question, mode=cast(Mode, mode)) for mode in MODES},
    **{
        f"{mode}, filtered": partial(
            HippoRAG.retrieve, question=QUESTION.question, mode=cast(Mode, mode), where={"test_year": {">": 2000}}
        )
        for mode in MODES
    },
    "three looks": lambda rag: rag.retrieve(QUESTION.question, looks=3),
    "no language model": lambda rag: rag.retrieve(QUESTION.question, no_llm=True),
    "answer": lambda rag: rag.answer(QUESTION.question),
    "steps": lambda rag: rag.retrieve_by_steps(QUESTION.question),
    "evaluate": lambda rag: run(
        rag.retrieve,
        lambda asked: find_gold(rag.database, rag.namespace, asked),
        [QUESTION],
        [cast(Mode, mode) for mode in MODES],
    ),
    "tune synonyms": lambda rag: rag.tune_synonyms([0.9], questions=[QUESTION], modes=["hipporag1"]),
    "status": HippoRAG.status,
    "health": HippoRAG.health,
    "runs": HippoRAG.runs,
    "an inspection": lambda rag: rag.inspect("facts-of-phrase", phrase="Bob"),
    "compare": lambda rag: rag.compare([*PASSAGES[1:], Passage("Dora met Emil.", id="4")]),
    "graphs": HippoRAG.graphs,
    "kept answers": HippoRAG.kept_answers,
    "a dry drop": lambda rag: rag.drop(dry_run=True),
    "a dry deletion": lambda rag: rag.delete(["1"], dry_run=True),
}
"""All that only reads."""


@pytest.mark.parametrize("use", USES)
def test_what_reads_neither_writes_nor_asks_to(
    use: str, reader: HippoRAG, sessions: ReadingDriver, driver: neo4j.Driver, server: TestServer
) -> None:
    before = digest(driver, server, reader.namespace)
    assert USES[use](reader)
    assert set(sessions.modes) == {"READ"}
    assert digest(driver, server, reader.namespace) == before


def test_the_digest_sees_the_smallest_change(reader: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    before = digest(driver, server, reader.namespace)
    driver.execute_query(
        "MATCH (:Phrase {namespace: $namespace})-[r:RELATES]->() WITH r LIMIT 1 SET r.seen = 1",
        namespace=reader.namespace,
        database_=server.database,
    )
    assert digest(driver, server, reader.namespace) != before


def test_a_reader_that_keeps_answers_is_told_how_not_to(
    with_model: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    reading = cast(neo4j.Driver, ReadingDriver(driver))
    settings = with_model.model_copy(update={"llm_cache": True})
    with HippoRAG(settings, driver=reading, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(DatabaseError, match=r"can't be written to.*--no-cache \(HIPPORAG_LLM_CACHE=false\)"):
            rag.retrieve("Was it Ada whom Bob met?")
        with pytest.raises(DatabaseError, match=r"can't be written to \(.*\)\. Write to another one\.$"):
            rag.delete(["1"])


SLOW = "UNWIND range(1, 1000000000) AS x RETURN max(sin(x)) AS most"


@pytest.mark.parametrize("mode", ["read", "write"])
def test_an_administrator_sees_what_runs_and_it_ends_in_time(
    mode: Any, settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = queries.Query("retrieval/slow", SLOW, "", frozenset(), "most (float)", mode)
    monkeypatch.setattr(queries, "load", lambda name: slow)
    ended: list[Exception] = []

    def ask(database: Database) -> None:
        try:
            database.run("retrieval/slow")
        except QueryError as error:
            ended.append(error)

    def column(statement: LiteralString, name: str) -> list[Any]:
        return [row[name] for row in driver.execute_query(statement, database_=server.database).records]

    def running() -> list[Any]:
        return column(
            "SHOW TRANSACTIONS YIELD metaData, currentQuery WHERE currentQuery STARTS WITH 'UNWIND range(1, 10000000'",
            "metaData",
        )

    with closing(open_database(settings.model_copy(update={"query_timeout": 1.5}))) as database:
        thread = threading.Thread(target=ask, args=(database,))
        thread.start()
        seen: list[Any] = []
        while thread.is_alive() and not seen:
            seen = running()
            time.sleep(0.05)
        agents = {
            row["userAgent"] for row in driver.execute_query("CALL dbms.listConnections() YIELD userAgent").records
        }
        thread.join()
    assert seen[0]["app"] == AGENT
    assert seen[0]["statement"] == "retrieval/slow"
    assert AGENT in agents
    assert "terminated" in str(ended[0])
    assert running() == []


def test_nobody_is_told_how_it_is_used(
    settings: Settings, server: TestServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The driver would say which of its functions are used to a server that asks for it, as those of Aura do."""
    with caplog.at_level(logging.DEBUG, logger="neo4j"), closing(open_database(settings)) as database:
        database.run("schema/find_graph", namespace="x")
        database.write("probe", lambda tx: tx.run("schema/find_graph", namespace="x"))
        with database.data_science() as gds:
            gds.server_version()
        config = database._driver._pool.pool_config  # the driver has no way to ask
    assert config.telemetry_disabled
    assert not [message for message in caplog.messages if "C: TELEMETRY" in message]
    agents = [message for message in caplog.messages if "C: HELLO" in message]
    assert agents
    assert all(f"'user_agent': '{AGENT}'" in message for message in agents)


def test_a_transaction_is_repeated_when_two_lock_each_other_out(
    settings: Settings, make_namespace: Callable[[], str]
) -> None:
    """Each locks one graph, waits for the other to have done so, and wants the other's: one has to begin anew."""
    names = (make_namespace(), make_namespace())
    both = threading.Barrier(2)
    attempts = dict.fromkeys(names, 0)
    failed: list[DatabaseError] = []

    def raise_versions(database: Database, first: str, second: str) -> None:
        def work(tx: Transaction) -> None:
            attempts[first] += 1
            tx.run("indexing/raise_version", namespace=first)
            if attempts[first] == 1:
                both.wait(timeout=60)
            tx.run("indexing/raise_version", namespace=second)

        try:
            database.write("probe", work)
        except DatabaseError as error:
            failed.append(error)

    with closing(open_database(settings)) as database:
        for name in names:
            database.run("schema/create_graph", namespace=name, properties={"schema_version": 1})
        threads = [threading.Thread(target=raise_versions, args=(database, *pair)) for pair in (names, names[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert sum(attempts.values()) == 3
        graphs = [database.run("schema/find_graph", namespace=name)[0]["graph"] for name in names]
        assert [graph["version"] for graph in graphs] == [2, 2]


def test_a_server_is_used_by_routing_as_well(with_model: Settings, caplog: pytest.LogCaptureFixture) -> None:
    uri = str(with_model.neo4j_uri)
    if not uri.startswith("bolt://"):
        pytest.skip("the server was given by another scheme than bolt://")
    routed = with_model.model_copy(update={"neo4j_uri": uri.replace("bolt://", "neo4j://", 1)})
    with (
        caplog.at_level(logging.DEBUG, logger="neo4j"),
        HippoRAG(routed, embedder=HashEmbedder(DIMENSIONS)) as rag,
    ):
        found = rag.retrieve(QUESTION.question)
        assert rag.index(PASSAGES).unchanged == 3
    assert {p.id for p in found.passages} == {"1", "2", "3"}
    assert [message for message in caplog.messages if "C: ROUTE" in message]
    modes = {"r" if "'mode': 'r'" in message else "w" for message in caplog.messages if "C: BEGIN" in message}
    assert modes == {"r", "w"}
