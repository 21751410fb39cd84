"""What a search shows is of one version of the graph, or says that it may not be."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, LiteralString

import neo4j
import pytest

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import DatabaseError, GraphNotFoundError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.retrieval.filter_facts import Triplet, Verdict
from hipporag_neo4j.retrieval.retrieve import options_of, retrieve
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
FIRST = [passage("1", ("ada", "knows", "bob")), passage("2", ("bob", "knows", "cleo"))]
LATER = passage("3", ("ada", "knows", "dora"), ("ada", "knows", "emil"))


class Between(BlockingSources):
    """Something happens before a statement, the first `times` times; questions to the fact filter are counted."""

    statement: str = ""
    happens: Callable[[], object] = staticmethod(lambda: None)
    times: int = 1

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        if query == self.statement and type(self).times:
            type(self).times -= 1
            type(self).happens()
        return await super().run(query, **parameters)


def search(
    rag: HippoRAG, mode: Mode, statement: str, happens: Callable[[], object], times: int = 1
) -> tuple[RetrievalResult, list[int]]:
    """The answer when something happens before a statement, and how many facts the filter was shown, each time."""
    shown: list[int] = []

    def keep(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
        shown.append(len(facts))
        return Verdict(tuple(range(len(facts))))

    own = {"statement": statement, "happens": staticmethod(happens), "times": times}
    sources = type("Own", (Between,), own)(rag.database, EMBEDDER, None, None, keep)
    graph, options = rag._graph, options_of(rag.settings)
    question = "Who knows whom?"
    found = finish(retrieve(sources, graph, question, mode=mode, limit=10, entities=["ada"], options=options, looks=1))
    return found, shown


def plain(result: RetrievalResult) -> RetrievalResult:
    """Without what differs from one asking to the next."""
    return replace(result, timings={})


@pytest.fixture
def rag(settings: Settings) -> Any:
    """A graph of two passages."""
    with HippoRAG(settings, embedder=EMBEDDER) as opened:
        write(opened, FIRST)
        yield opened


LAST = {
    "hipporag1": "retrieval/rank_by_mentions",
    "hipporag2": "retrieval/rank_passage_nodes",
    "hybrid": "retrieval/rank_passage_nodes",
    "dense": "retrieval/find_passages_by_vector",
}


@pytest.mark.parametrize("mode", LAST)
def test_a_graph_that_rests_is_shown_as_it_is(mode: Mode, rag: HippoRAG) -> None:
    result, _ = search(rag, mode, "", lambda: None)
    assert (result.version, result.stale) == (rag.status().graph.version, False)


@pytest.mark.parametrize("mode", LAST)
def test_a_version_that_is_published_meanwhile_is_shown_whole(mode: Mode, rag: HippoRAG) -> None:
    """Seeds, counts and passages are those that a search after it finds."""
    result, _ = search(rag, mode, LAST[mode], lambda: write(rag, [LATER]))
    after, _ = search(rag, mode, "", lambda: None)
    assert plain(result) == plain(after)
    assert (result.version, result.stale) == (rag.status().graph.version, False)
    assert "3" in {p.id for p in result.passages}


def test_the_filter_is_asked_again_only_about_other_facts(rag: HippoRAG) -> None:
    same = passage("4", text="Nothing new.")
    _, shown = search(rag, "hybrid", LAST["hybrid"], lambda: write(rag, [same]))
    assert shown == [2]
    _, shown = search(rag, "hybrid", LAST["hybrid"], lambda: write(rag, [LATER]))
    assert shown == [2, 4]


def test_versions_that_never_rest_are_told(rag: HippoRAG) -> None:
    def publish() -> None:
        rag.database.run("indexing/raise_version", namespace=rag.namespace)
        rag.database.run("indexing/publish_version", namespace=rag.namespace)

    result, _ = search(rag, "hybrid", "retrieval/find_facts", publish, times=100)
    assert result.stale
    assert {p.id for p in result.passages} == {"1", "2"}


def test_what_a_run_under_way_has_written_is_told(rag: HippoRAG) -> None:
    """The seeds may be newer than the walk, which shows what was published."""
    published, _ = search(rag, "hybrid", "", lambda: None)
    rag.database.run("indexing/raise_version", namespace=rag.namespace)
    during, _ = search(rag, "hybrid", "", lambda: None)
    assert during.stale
    assert during.version == published.version
    assert during.passages == published.passages


def test_a_graph_that_is_dropped_or_made_anew_meanwhile_is_no_result(rag: HippoRAG) -> None:
    with pytest.raises(GraphNotFoundError):
        search(rag, "dense", LAST["dense"], rag.drop)

    def anew() -> None:
        rag.drop()
        write(rag, FIRST)

    write(rag, FIRST)
    with pytest.raises(DatabaseError, match="made anew while it was searched"):
        search(rag, "dense", LAST["dense"], anew)


@pytest.mark.parametrize("what", ["fact", "subject", "passage"])
def test_what_is_deleted_while_it_is_read_is_left_out(
    what: str, rag: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    """A statement that finds something may read its properties after a writer has taken them."""
    taken: dict[str, LiteralString] = {
        "fact": "MATCH ({namespace: $n, name: 'ada'})-[r:RELATES]->() SET r.predicate = null",
        "subject": "MATCH (p:Phrase {namespace: $n, name: 'ada'}) SET p.name = null",
        "passage": "MATCH (p:Passage {namespace: $n, id: '1'}) SET p.id = null",
    }
    driver.execute_query(taken[what], n=rag.namespace, database_=server.database)
    result, shown = search(rag, "hybrid", "", lambda: None)
    assert shown == [2 if what == "passage" else 1]
    assert None not in {p.id for p in result.passages}
