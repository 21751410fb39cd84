"""Clients of one graph that know nothing of each other: they neither block, nor undo, nor mislead one another."""

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import neo4j
import numpy as np
import pytest

from hipporag_neo4j.database import Database, Row, Transaction
from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms
from hipporag_neo4j.indexing.link_synonyms import Phrases
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.indexing.prune import Prune
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD, Graph, lock_graph
from hipporag_neo4j.settings import Settings
from tests.clients import ask_together, in_processes, write_together
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, assert_same, expected_content, passage, read_content, write
from tests.llm_server import LLMServer, Request, extract_from_prompt
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
FIRST = [passage("1", ("ada", "knows", "bob")), passage("2", ("bob", "knows", "cleo"))]


def assert_fresh(settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    """The graph is the one that its passages make; their texts say their facts: "one near other. one is other"."""
    found = read_content(driver, server, settings.namespace)
    stand = [passage(id_, *map(_fact, text.split(". "))) for id_, text in found.passages.items()]
    fresh = expected_content(stand, EMBEDDER, normalisation="unicode", threshold=DEFAULT_SYNONYM_THRESHOLD)
    assert_same(found, fresh)


def _fact(sentence: str) -> tuple[str, str, str]:
    for predicate in ("near", "is", "knows"):
        subject, found, object_ = sentence.partition(f" {predicate} ")
        if found:
            return subject, predicate, object_
    raise ValueError(sentence)


def test_processes_that_find_the_projection_missing_build_one(settings: Settings) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, FIRST)
    answers = in_processes(ask_together, [(settings, "Who knows whom?", "ada")] * 2)
    assert [ids for ids, _ in answers] == [["1", "2"]] * 2
    assert sum(built for _, built in answers) == 1


def test_processes_that_write_the_same_passages(settings: Settings, driver: neo4j.Driver, server: TestServer) -> None:
    assert in_processes(write_together, [(settings, number, 8) for number in range(3)]) == [8, 8, 8]
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        status = rag.status()
        assert not status.interrupted
        assert status.graph.version > 24
    assert_fresh(settings, driver, server)


def test_versions_are_never_the_same_and_never_published_backwards(settings: Settings) -> None:
    """A statement that sets one property to another reads it before it has the lock."""
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.init()
        database, namespace = rag.database, rag.namespace

        def raise_versions(_: int) -> list[int]:
            return [database.run("indexing/raise_version", namespace=namespace)[0]["version"] for _ in range(40)]

        def publish(tx: Transaction) -> bool:
            tx.run("indexing/publish_version", namespace=namespace)
            graph = tx.run("schema/find_graph", namespace=namespace)[0]["graph"]  # nobody else can change it now
            return bool(graph["published"] == graph["version"])

        def publish_some(_: int) -> list[bool]:
            return [database.write("test", publish) for _ in range(40)]

        with ThreadPoolExecutor(8) as pool:
            published = pool.map(publish_some, range(4))
            raised = [version for some in pool.map(raise_versions, range(4)) for version in some]
        assert sorted(raised) == list(range(1, 161))
        assert all(all(some) for some in published)


def test_writers_queue_and_do_not_deadlock(settings: Settings) -> None:
    """The driver would repeat what deadlocks; nothing is to repeat."""
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.init()
        begun: list[int] = []

        def work(tx: Transaction) -> None:
            begun.append(lock_graph(tx, rag.namespace)["version"])
            tx.run("indexing/publish_version", namespace=rag.namespace)

        def write_some(_: int) -> None:
            for _ in range(20):
                rag.database.write("test", work)
                rag.database.run("indexing/publish_version", namespace=rag.namespace)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(write_some, range(6)))
    assert sorted(begun) == list(range(1, 121))


class Together:
    """Two clients of one graph with a scripted language model; `meanwhile` happens while the first one reads."""

    def __init__(self, settings: Settings, llm_server: LLMServer) -> None:
        model = {"llm_model": "scripted", "openai_base_url": llm_server.url, "llm_retries": 0, "llm_cache": False}
        self.one, self.other = (HippoRAG(settings.model_copy(update=model), embedder=EMBEDDER) for _ in range(2))
        self.meanwhile: Callable[[], object] | None = None
        self._lock = threading.Lock()
        self.fails = False
        llm_server.respond = self._respond

    def _respond(self, request: Request) -> Any:
        with self._lock:
            meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return "No." if self.fails else extract_from_prompt(request)


@pytest.fixture
def together(settings: Settings, llm_server: LLMServer) -> Iterator[Together]:
    made = Together(settings, llm_server)
    with made.one, made.other:
        yield made


def failed_one(together: Together) -> None:
    together.fails = True
    together.one.index([Passage("Ada met Bob.", id="1")])
    together.fails = False


def test_what_is_read_again_does_not_replace_what_another_client_wrote(together: Together) -> None:
    failed_one(together)
    together.meanwhile = lambda: together.other.index([Passage("Cleo met Dora.", id="1")])
    report = together.one.retry_failed()
    assert (report.passages, report.written, report.failed, report.overtaken) == (1, 0, 0, 1)
    (left,) = together.one.retrieve("Who?", mode="dense").passages
    assert left.text == "Cleo met Dora."
    assert together.one.status().states == {"written": 1}
    assert together.one.status().phrases == 2


def test_what_is_read_again_does_not_come_back_when_another_client_deleted_it(together: Together) -> None:
    failed_one(together)
    together.meanwhile = lambda: together.other.delete(["1"])
    report = together.one.retry_failed()
    assert (report.written, report.overtaken) == (0, 1)
    status = together.one.status()
    assert (status.passages, status.facts, status.phrases) == (0, 0, 0)


def test_what_nobody_else_touched_is_read_again(together: Together) -> None:
    failed_one(together)
    report = together.one.retry_failed()
    assert (report.written, report.overtaken) == (1, 0)


def test_pruning_spares_what_another_client_wrote_meanwhile(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as one, HippoRAG(settings, embedder=EMBEDDER) as other:
        write(one, [*FIRST, passage("3", ("dora", "knows", "emil")), passage("4", ("emil", "knows", "ada"))])

        def source() -> Iterator[ExtractedPassage]:
            yield FIRST[0]
            write(other, [passage("3", ("dora", "knows", "fred")), passage("5", ("fred", "knows", "gus"))])

        report = Indexer(one.database, one.init(), EMBEDDER).import_extracted(source(), prune=Prune(lambda: 0))
        assert report.pruned == 2
        assert set(read_content(driver, server, settings.namespace).passages) == {"1", "3", "5"}
        again = Indexer(one.database, one.init(), EMBEDDER).import_extracted(FIRST[:1], prune=Prune(lambda: 0))
        assert again.pruned == 2
    assert_fresh(settings, driver, server)


def test_deleting_by_metadata_spares_what_another_client_changed_meanwhile(
    together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    together.one.index([Passage(f"Ada met Bob{n}.", id=str(n), metadata={"year": 2019}) for n in range(2)])
    run = Database.run

    def interrupted(self: Database, query: str, **parameters: Any) -> Any:
        rows = run(self, query, **parameters)
        if query == "indexing/find_by_metadata":
            together.other.index([Passage("Ada met Bob1.", id="1", metadata={"year": 2020})])
        return rows

    monkeypatch.setattr(Database, "run", interrupted)
    report = together.one.delete(where={"year": 2019})
    assert report.passages == 1
    (left,) = together.one.retrieve("Who?", mode="dense").passages
    assert (left.id, left.metadata) == ("1", {"year": 2020})


def test_a_phrase_that_was_deleted_and_made_again_while_synonyms_were_found_is_linked(
    settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pairs that one client found lack a phrase that came, and was linked, while this one was gone."""
    mill, mills = [passage("1", ("old mill", "near", "harbour"))], [passage("2", ("old mills", "is", "town hall"))]
    read = link_synonyms.read_phrases
    with HippoRAG(settings, embedder=EMBEDDER) as one, HippoRAG(settings, embedder=EMBEDDER) as other:

        def slowly(database: Database, graph: Graph) -> Phrases:
            phrases = read(database, graph)
            monkeypatch.setattr(link_synonyms, "read_phrases", read)
            other.delete(["1"])
            write(other, mills)
            with monkeypatch.context() as patch:  # cut off before it links
                patch.setattr("hipporag_neo4j.indexing.pipeline.link_synonyms", _cut)
                with pytest.raises(KeyboardInterrupt):
                    write(other, mill)
            return phrases

        monkeypatch.setattr(link_synonyms, "read_phrases", slowly)
        write(one, mill)
        write(one, mill)
    assert_fresh(settings, driver, server)


@pytest.mark.parametrize(("room", "times"), [(2, 1), (1, 2)])
def test_phrases_that_come_while_all_are_read_have_room_or_all_are_read_again(
    room: int, times: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, read = Database.stream, []
    with HippoRAG(settings, embedder=EMBEDDER) as one, HippoRAG(settings, embedder=EMBEDDER) as other:
        write(one, FIRST)

        def meanwhile(database: Database, query: str, **parameters: Any) -> Generator[Row, None, None]:
            read.append(query)
            if len(read) == 1:
                with monkeypatch.context() as patch:
                    patch.setattr(Database, "stream", stream)
                    write(other, [passage("3", ("dora", "knows", "emil"))])
            return stream(database, query, **parameters)

        monkeypatch.setattr(Database, "stream", meanwhile)
        monkeypatch.setattr(link_synonyms, "_LEAST_ROOM", room)
        phrases = link_synonyms.read_phrases(one.database, one.init())
    assert read == ["indexing/read_phrase_blocks"] * times
    assert sorted(phrases.names) == ["ada", "bob", "cleo", "dora", "emil"]
    assert np.allclose(phrases.vectors, EMBEDDER.embed(phrases.names), atol=1e-6)


def _cut(*_: object) -> int:
    raise KeyboardInterrupt
