"""Dropping: all of one namespace and nothing else, in pieces, beside others who read and write."""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, LiteralString, cast

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j import drop as drop_module
from hipporag_neo4j.domain import MODES, Mode
from hipporag_neo4j.errors import GraphNotFoundError, HippoRAGError, InputError, SchemaVersionError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.llm_server import LLMServer
from tests.servers import TestServer, digest

EMBEDDER = HashEmbedder(DIMENSIONS)
PASSAGES = [
    passage("1", ("Ada", "knows", "Bob"), ("Bob", "knows", "Cleo")),
    passage("2", ("Bob", "knows", "Dora")),
    passage("3", ("Cleo", "knows", "Ada"), ("Emil", "met", "Adah")),
]
Client = Callable[..., HippoRAG]


def rows(driver: neo4j.Driver, server: TestServer, statement: LiteralString, **parameters: Any) -> list[list[Any]]:
    with driver.session(database=server.database) as session:
        return session.run(statement, parameters).values()


def count(driver: neo4j.Driver, server: TestServer, namespace: str) -> int:
    """Nodes of a namespace, whatever their label."""
    (row,) = rows(driver, server, "MATCH (n) WHERE n.namespace = $namespace RETURN count(n)", namespace=namespace)
    return int(row[0])


def projections(driver: neo4j.Driver, server: TestServer, namespace: str) -> list[str]:
    found = rows(
        driver,
        server,
        "CALL gds.graph.list() YIELD graphName WITH graphName WHERE graphName STARTS WITH $prefix RETURN graphName",
        prefix=f"hipporag.{namespace}.",
    )
    return [str(row[0]) for row in found]


def ask(rag: HippoRAG, mode: str) -> list[str]:
    found = rag.retrieve("Who knows Bob?", mode=cast(Mode, mode), entities=["Bob"], fact_filter=keep_all)
    return [p.id for p in found.passages]


def keep_an_answer(rag: HippoRAG, key: str) -> None:
    properties = {"text": "{}", "kind": "facts", "model": "m", "prompt_tokens": 1, "completion_tokens": 1}
    rag.database.run(
        "cache/keep_answer", key=key, namespace=rag.namespace, properties=properties, now=datetime.now(UTC)
    )


def test_it_takes_one_namespace_and_nothing_else(
    settings: Settings, make_namespace: Callable[[], str], driver: neo4j.Driver, server: TestServer
) -> None:
    one, other = (HippoRAG(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
    theirs = rows(
        driver,
        server,
        "CREATE (p:Passage {id: 'theirs', text: 'x'})-[:MENTIONS]->(f:Phrase {name: 'theirs'}) "
        "CREATE (r:HippoFan {name: 'no label of ours'}) RETURN elementId(p), elementId(f), elementId(r)",
    )[0]
    with one, other:
        try:
            for rag in (one, other):
                write(rag, PASSAGES)
                ask(rag, "hipporag1")
                keep_an_answer(rag, f"answer of {rag.namespace}")
                rows(
                    driver,
                    server,
                    "CREATE (:HippoBatch {namespace: $namespace}) "
                    "CREATE (:HippoBatch {namespace: $namespace, collected: datetime(), finished: datetime()})",
                    namespace=rag.namespace,
                )
            rows(
                driver,
                server,
                "MATCH (f:Phrase {namespace: $namespace, name: 'ada'}) MATCH (r) WHERE elementId(r) = $fan "
                "CREATE (r)-[:LIKES]->(f)",
                namespace=one.namespace,
                fan=theirs[2],
            )
            before = digest(driver, server, other.namespace)
            planned = one.drop(dry_run=True)
            figures = (planned.passages, planned.phrases, planned.facts, planned.answers, planned.runs, planned.batches)
            assert figures == (3, 6, 5, 1, 1, 2)
            assert planned.batches_under_way == 1
            assert (planned.projections, planned.nodes, planned.dry_run) == (1, 0, True)
            assert count(driver, server, one.namespace) == 3 + 6 + 1 + 1 + 2 + 1
            report = one.drop()
            assert (report.nodes, report.passages, report.projections) == (14, 3, 1)
            assert one.namespace not in report.graphs
            assert other.namespace in report.graphs
            assert count(driver, server, one.namespace) == 0
            assert projections(driver, server, one.namespace) == []
            assert len(projections(driver, server, other.namespace)) == 1
            assert digest(driver, server, other.namespace) == before
            assert "3" in ask(other, "hipporag1")
            left = rows(
                driver, server, "MATCH (n) WHERE elementId(n) IN $ids RETURN count(n), count { (n)--() }", ids=theirs
            )
            assert sorted(left) == [[1, 0], [2, 1]]  # only what hung on a dropped node went with it
            with pytest.raises(GraphNotFoundError, match="holds no graph"):
                one.drop()
        finally:
            rows(driver, server, "MATCH (n) WHERE elementId(n) IN $ids DETACH DELETE n", ids=theirs)


def test_after_it_the_namespace_is_free_for_another_model(settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, PASSAGES)
        rag.drop()
    renamed = HashEmbedder(DIMENSIONS)
    renamed.name = "another"
    with HippoRAG(settings, embedder=renamed) as rag:
        write(rag, PASSAGES[:1])
        assert ask(rag, "hipporag1") == ["1"]


@pytest.fixture
def half_dropped(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> HippoRAG:
    """A client of a graph whose drop was broken off after its first batch."""
    monkeypatch.setattr(drop_module, "_DELETED_AT_ONCE", 4)

    def stop(done: int, total: int) -> None:
        assert (done, total) == (1 + 4, 11)
        raise KeyboardInterrupt

    rag = HippoRAG(settings, embedder=EMBEDDER)
    write(rag, PASSAGES)
    ask(rag, "dense")  # it has the graph open
    with HippoRAG(settings) as other, pytest.raises(KeyboardInterrupt):
        other.drop(progress=stop)
    return rag


def test_half_a_graph_is_no_graph_until_the_drop_is_finished(
    half_dropped: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    rag = half_dropped
    with rag:
        attempts: list[Callable[[], object]] = [
            rag.status,
            rag.init,
            rag.migrate,
            rag.kept_answers,
            lambda: write(rag, PASSAGES),
            lambda: rag.delete(["1"]),
            lambda: rag.set_synonym_threshold(0.9),
            lambda: rag.tune_synonyms([0.9]),
        ]
        attempts += [partial(ask, rag, mode) for mode in MODES]
        left = count(driver, server, rag.namespace)
        for attempt in attempts:
            with pytest.raises(GraphNotFoundError, match=r"is being dropped.*To finish: `hipporag-neo4j drop"):
                attempt()
        assert [graph.dropping for graph in rag.graphs() if graph.namespace == rag.namespace] == [True]
        keep_an_answer(rag, "late")
        assert count(driver, server, rag.namespace) == left == 11 - 5
        assert rag.drop().nodes == left
        assert count(driver, server, rag.namespace) == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_reader_that_stays_open_hears_of_it(mode: str, settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as reader, HippoRAG(settings) as other:
        write(reader, PASSAGES)
        assert ask(reader, mode)
        other.drop()
        with pytest.raises(GraphNotFoundError, match="holds no graph"):
            ask(reader, mode)


class DroppingEmbedder(HashEmbedder):
    """Has another client drop the graph when texts are embedded for the second time."""

    def __init__(self, drop: Callable[[], object]) -> None:
        super().__init__(DIMENSIONS)
        self._drop = drop
        self._calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        self._calls += 1
        if self._calls == 1:
            self._drop()
        return super().embed(texts)


def test_a_writer_that_it_overtakes_stops_and_leaves_nothing(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    with HippoRAG(settings) as other, HippoRAG(settings, embedder=DroppingEmbedder(other.drop)) as writer:
        with pytest.raises(GraphNotFoundError, match="holds no graph any more: it was dropped"):
            write(writer, PASSAGES)
        assert count(driver, server, writer.namespace) == 0


def test_two_at_once_share_the_work(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, driver: neo4j.Driver, server: TestServer
) -> None:
    monkeypatch.setattr(drop_module, "_DELETED_AT_ONCE", 1)
    deleted: list[int | HippoRAGError] = []

    def drop() -> None:
        with HippoRAG(settings) as rag:
            try:
                deleted.append(rag.drop().nodes)
            except HippoRAGError as error:
                deleted.append(error)

    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, PASSAGES)
        threads = [threading.Thread(target=drop) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numbers = [number for number in deleted if isinstance(number, int)]
        assert sum(numbers) == 11
        assert all(isinstance(one, int | GraphNotFoundError) for one in deleted)
        assert count(driver, server, rag.namespace) == 0


def test_a_graph_that_is_made_anew_while_it_is_dropped_stays(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, driver: neo4j.Driver, server: TestServer
) -> None:
    """Another client finishes the drop, and indexes again, between two batches."""
    monkeypatch.setattr(drop_module, "_DELETED_AT_ONCE", 1)
    made: list[str] = []

    with HippoRAG(settings, embedder=EMBEDDER) as slow, HippoRAG(settings, embedder=EMBEDDER) as other:

        def make_anew(done: int, total: int) -> None:
            if not made:
                other.drop()
                write(other, PASSAGES)
                made.append(digest(driver, server, other.namespace))

        write(slow, PASSAGES)
        slow.drop(progress=make_anew)
        assert digest(driver, server, other.namespace) == made[0]
        assert ask(other, "hipporag1")


def test_a_run_of_the_language_model_is_gone_with_its_answers(
    settings: Settings, llm_server: LLMServer, driver: neo4j.Driver, server: TestServer
) -> None:
    settings = settings.model_copy(update={"llm_model": "scripted", "openai_base_url": llm_server.url})
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.index([PASSAGES[0].passage])
        report = rag.drop()
        assert report.answers == 2
        assert count(driver, server, rag.namespace) == 0


def test_what_was_written_while_a_drop_ended_goes_with_the_next_one(
    settings: Settings, make_namespace: Callable[[], str], driver: neo4j.Driver, server: TestServer
) -> None:
    one, other = (HippoRAG(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
    with one, other:
        write(other, PASSAGES[:1])
        rows(
            driver,
            server,
            "CREATE (:HippoRun {namespace: $one, id: 'r'}), (:HippoAnswer {namespace: $one, key: $one}), "
            "(:HippoRun {namespace: $one, id: 's'}), (:Passage {namespace: $one, id: 'theirs'})",
            one=one.namespace,
        )
        before = digest(driver, server, other.namespace)
        try:
            planned = one.drop(dry_run=True)
            assert (planned.left_over, planned.runs, planned.answers, planned.passages) == (True, 2, 1, 0)
            assert count(driver, server, one.namespace) == 4
            report = one.drop()
            assert (report.left_over, report.nodes, report.graphs) == (True, 3, planned.graphs)
            with pytest.raises(GraphNotFoundError, match="holds no graph"):
                one.drop()
            assert count(driver, server, one.namespace) == 1  # passages without a graph aren't ours
        finally:
            rows(driver, server, "MATCH (p:Passage {namespace: $one}) DELETE p", one=one.namespace)
        assert digest(driver, server, other.namespace) == before


def test_a_graph_that_is_made_while_leftovers_go_stays(
    settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_module, "_DELETED_AT_ONCE", 1)
    with HippoRAG(settings, embedder=EMBEDDER) as rag, HippoRAG(settings, embedder=EMBEDDER) as other:
        rows(
            driver,
            server,
            "UNWIND range(1, 3) AS i CREATE (:HippoRun {namespace: $one, id: toString(i)})",
            one=rag.namespace,
        )
        transact = rag.database.write

        def then_make(*arguments: Any, **options: Any) -> Any:
            done = transact(*arguments, **options)
            other.init()
            return done

        monkeypatch.setattr(rag.database, "write", then_make)
        assert rag.drop().nodes == 1
        monkeypatch.undo()
        assert rag.namespace in {graph.namespace for graph in rag.graphs()}
        assert other.drop().nodes == 3  # the graph's own node, and two runs


def test_a_newer_graph_is_left_alone(settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, PASSAGES)
        rows(
            driver,
            server,
            "MATCH (g:HippoGraph {namespace: $namespace}) SET g.schema_version = 99",
            namespace=rag.namespace,
        )
        before = digest(driver, server, rag.namespace)
        with pytest.raises(SchemaVersionError, match="schema version 99"):
            rag.drop()
        assert digest(driver, server, rag.namespace) == before


def test_the_schema_stays_while_others_need_it(settings: Settings, make_namespace: Callable[[], str]) -> None:
    one, other = (HippoRAG(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
    with one, other:
        write(one, PASSAGES)
        write(other, PASSAGES[:1])
        with pytest.raises(InputError, match=rf"holds other graphs.*{other.namespace}.*Nothing was dropped"):
            one.drop(schema=True)
        assert one.status().passages == 3


@pytest.mark.usefixtures("clean_database")
def test_the_schema_goes_with_the_last_graph(settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    rows(driver, server, "CREATE INDEX theirs FOR (n:Passage) ON (n.colour)")
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, PASSAGES)
        rag.drop()
        assert len(rows(driver, server, "SHOW INDEXES YIELD name WHERE name STARTS WITH 'hipporag_'")) > 15
        report = rag.drop(schema=True)
        assert (report.nodes, len(report.constraints)) == (0, 5)
        assert rows(driver, server, "SHOW CONSTRAINTS YIELD name") == []
        assert rows(driver, server, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'") == [["theirs", "RANGE"]]
        write(rag, PASSAGES)
        assert ask(rag, "hipporag1")
