"""A projection's life: built once, reused, replaced when the graph is published anew, built again when it is gone."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j import projection, projection_catalogue
from hipporag_neo4j.coroutines import Waiting, finish
from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.domain import RetrievalResult, Seed
from hipporag_neo4j.errors import GraphNotFoundError, QueryError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import pipeline
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.projection import Weights, ensure_projection
from hipporag_neo4j.retrieval.filter_facts import Triplet, Verdict
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.rank_passages import Ranking, rank_by_mentions
from hipporag_neo4j.retrieval.sources import BlockingSources, NamedEntities, Sources
from hipporag_neo4j.schema import open_graph
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.servers import TestServer

FIRST = [passage("1", ("ada", "knows", "bob")), passage("2", ("bob", "knows", "cleo"))]
LATER = passage("3", ("ada", "knows", "dora"))


@pytest.fixture
def rag(settings: Settings) -> Iterator[HippoRAG]:
    """A graph of two passages."""
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as opened:
        write(opened, FIRST)
        yield opened


@pytest.fixture
def in_memory(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> "InMemory":
    """The namespace's projections, as the server lists them."""
    return InMemory(driver, server, rag.namespace)


class InMemory:
    """Looks at projections, and drops them, without the product."""

    def __init__(self, driver: neo4j.Driver, server: TestServer, namespace: str) -> None:
        self._driver = driver
        self._database = server.database
        self._prefix = f"hipporag.{namespace}."

    def names(self) -> list[str]:
        """Names, oldest first."""
        rows = self._driver.execute_query(
            "CALL gds.graph.list() YIELD graphName, creationTime WHERE graphName STARTS WITH $prefix "
            "RETURN graphName ORDER BY creationTime",
            prefix=self._prefix,
            database_=self._database,
        ).records
        return [row["graphName"] for row in rows]

    def drop_shared(self) -> None:
        """As `drop_all`, but for those that clients made for themselves."""
        self.drop_all(keeping=".own-")

    def drop_all(self, keeping: str = "nothing") -> None:
        """As a restart of the server, or its administrator, would."""
        for name in (name for name in self.names() if keeping not in name):
            self._driver.execute_query("CALL gds.graph.drop($name)", name=name, database_=self._database)


def ask(rag: HippoRAG, entity: str = "ada") -> RetrievalResult:
    return rag.retrieve("Who knows whom?", mode="hipporag1", entities=[entity])


def ids(result: RetrievalResult) -> list[str]:
    return [p.id for p in result.passages]


def test_it_is_built_by_the_first_question_and_reused(rag: HippoRAG, in_memory: InMemory) -> None:
    assert in_memory.names() == []
    assert ids(ask(rag)) == ["1", "2"]
    first = in_memory.names()
    assert len(first) == 1
    ask(rag)
    ask(rag, "cleo")
    assert in_memory.names() == first


def test_publishing_replaces_it(rag: HippoRAG, in_memory: InMemory) -> None:
    ask(rag)
    old = in_memory.names()
    write(rag, [LATER])
    assert ids(ask(rag, "dora"))[0] == "3"
    assert len(in_memory.names()) == 1
    assert in_memory.names() != old


def test_another_weighting_is_another_projection(rag: HippoRAG, in_memory: InMemory, settings: Settings) -> None:
    ask(rag)
    with HippoRAG(settings.model_copy(update={"fact_weight": 1.0}), embedder=rag.embedder) as other:
        ask(other)
        assert len(in_memory.names()) == 2
        write(other, [LATER])
        ask(other)
        assert len(in_memory.names()) == 1


@pytest.mark.parametrize(("megabytes", "kept"), [(10, 1), (1000, 3)])
def test_so_many_megabytes_of_projections_are_kept(
    megabytes: int, kept: int, rag: HippoRAG, in_memory: InMemory, settings: Settings
) -> None:
    """The smallest takes seven."""
    for weight in (1.0, 2.0, 3.0):
        changed = settings.model_copy(update={"projection_megabytes": megabytes, "fact_weight": weight})
        with HippoRAG(changed, embedder=rag.embedder) as other:
            assert ids(ask(other)) == ["1", "2"]
    assert len(in_memory.names()) == kept


def test_one_that_was_dropped_is_built_again(rag: HippoRAG, in_memory: InMemory) -> None:
    before = ask(rag)
    in_memory.drop_all()
    assert ask(rag).passages == before.passages
    assert len(in_memory.names()) == 1


def test_one_that_is_dropped_between_looking_and_ranking_is_built_again(rag: HippoRAG, in_memory: InMemory) -> None:
    dropped: list[str] = []

    class Dropping(BlockingSources):
        async def run(self, query: str, /, **parameters: Any) -> list[Row]:
            if query == "retrieval/rank_by_mentions" and not dropped:
                dropped.append(parameters["graph"])
                in_memory.drop_all()
            return await super().run(query, **parameters)

    assert ranked(rank(Dropping(rag.database, rag.embedder, lambda: None), rag)) == ["1", "2"]
    assert in_memory.names() == dropped


def test_threads_that_all_find_it_missing_build_one(rag: HippoRAG, in_memory: InMemory) -> None:
    """All of them look before any of them builds."""
    together = threading.Barrier(4, timeout=60)
    built: list[str] = []

    class Waiting(BlockingSources):
        async def run(self, query: str, /, **parameters: Any) -> list[Row]:
            if query == "projection/begin_building":
                together.wait()
            if query == "projection/project_phrases":
                built.append(parameters["graph"])
            return await super().run(query, **parameters)

    sources = Waiting(rag.database, rag.embedder, lambda: None)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ranked(rank(sources, rag)), range(4)))
    assert answers == [["1", "2"]] * 4
    assert in_memory.names() == built
    assert len(built) == 1


class Held(BlockingSources):
    """Stops before a statement until it may go on."""

    statement: str
    reached: threading.Event
    may_go_on: threading.Event
    sent: list[str]

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        self.sent.append(query)
        if query == self.statement and self.sent.count("projection/project_phrases"):
            self.reached.set()
            assert self.may_go_on.wait(60)
        return await super().run(query, **parameters)


def held(rag: HippoRAG, statement: str) -> Held:
    """Sources that stop before a statement, once they have built."""
    own = {"statement": statement, "reached": threading.Event(), "may_go_on": threading.Event(), "sent": []}
    made = type("Own", (Held,), own)(rag.database, rag.embedder, lambda: None)
    assert isinstance(made, Held)
    return made


def test_who_comes_while_it_is_built_waits_for_it(rag: HippoRAG, in_memory: InMemory) -> None:
    """What was built is not walked before it was checked."""
    builder, other = held(rag, "projection/find_projection"), held(rag, "nothing")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(rank, builder, rag)
        assert builder.reached.wait(60)
        second = pool.submit(rank, other, rag)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.5)
        builder.may_go_on.set()
        assert ranked(first.result(60)) == ranked(second.result(60)) == ["1", "2"]
    assert "projection/project_phrases" not in other.sent
    assert len(in_memory.names()) == 1


def test_a_builder_that_has_died_is_not_waited_for(
    rag: HippoRAG, in_memory: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left what it built, which nobody checked, and its announcement."""
    monkeypatch.setattr(projection, "_PATIENCE", 0.1)
    ask(rag)
    (name,) = in_memory.names()
    in_memory.drop_all()
    rag.database.run("bench/project_edges", graph=name, edges=[[0, 1, 1.0]])
    *base, _, shape, digest = name.split(".")
    rag.database.run("projection/begin_building", lock=".".join([*base, "building", shape, digest]))
    assert ids(ask(rag)) == ["1", "2"]
    assert in_memory.names() == [name]


def test_a_builder_that_was_taken_for_dead_harms_nobody(
    rag: HippoRAG, in_memory: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "_PATIENCE", 0.1)
    sleeper = held(rag, "projection/find_projection")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(rank, sleeper, rag)
        assert sleeper.reached.wait(60)
        assert ids(ask(rag)) == ["1", "2"]
        (name,) = in_memory.names()
        sleeper.may_go_on.set()
        assert ranked(first.result(60)) == ["1", "2"]
    assert in_memory.names() == [name]
    assert ids(ask(rag)) == ["1", "2"]


def test_a_writer_that_commits_while_it_is_built_makes_it_built_again(rag: HippoRAG, in_memory: InMemory) -> None:
    sources = Interrupted(rag, "projection/project_phrases", times=1)
    made = finish(ensure_projection(sources.run, rag.namespace, Weights()))
    assert not made.stale
    assert sources.seen == 1
    assert in_memory.names() == [made.name]


def test_writers_that_never_rest_make_it_stale(
    rag: HippoRAG, in_memory: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = Interrupted(rag, "projection/project_phrases", times=100)
    made = finish(ensure_projection(sources.run, rag.namespace, Weights()))
    assert made.stale
    assert sources.seen == 4  # three that were dropped again, and one of the caller's own
    assert in_memory.names() == [made.name]
    assert not ask(rag).stale
    assert made.name in in_memory.names()  # somebody may be about to walk over it
    in_memory.drop_shared()
    monkeypatch.setattr(projection_catalogue, "_FORGOTTEN", 0.0)
    assert not ask(rag).stale
    assert made.name not in in_memory.names()


def test_a_stale_projection_is_walked_once(rag: HippoRAG, in_memory: InMemory) -> None:
    """Nobody else finds it: to another question it would look exact."""
    ranking = rank(Interrupted(rag, "projection/project_phrases", times=100), rag)
    assert ranking.stale
    assert in_memory.names() == []


def test_ones_own_projection_goes_although_the_walk_fails(rag: HippoRAG, in_memory: InMemory) -> None:
    class Failing(Interrupted):
        async def run(self, query: str, /, **parameters: Any) -> list[Row]:
            if query == "retrieval/rank_by_mentions":
                assert in_memory.names() == [parameters["graph"]]
                raise QueryError("The walk takes too long.", query=query, code="")
            return await super().run(query, **parameters)

    with pytest.raises(QueryError, match="too long"):
        rank(Failing(rag, "projection/project_phrases", times=100), rag)
    assert in_memory.names() == []


def test_a_graph_published_faster_than_it_is_ranked_gives_an_answer_that_says_so(rag: HippoRAG) -> None:
    sources = Interrupted(rag, "retrieval/rank_by_mentions", times=100, before=True)
    ranking = rank(sources, rag)
    assert ranked(ranking) == ["1", "2"]
    assert ranking.stale
    sources = Interrupted(rag, "retrieval/rank_by_mentions", times=1, before=True)
    assert not rank(sources, rag).stale


def test_a_phrase_that_the_projection_lacks_makes_it_built_again(
    rag: HippoRAG, in_memory: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run under way, or cut off, has written phrases that a question finds and the projection doesn't hold."""
    ask(rag)
    old = in_memory.names()

    def break_off(database: Database, namespace: str) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "publish", break_off)
        with pytest.raises(KeyboardInterrupt):
            write(rag, [LATER])
    assert rag.status().interrupted
    during = ask(rag, "dora")
    assert during.seeds[0].phrase == "dora"
    assert ids(during)[0] == "3"
    assert during.stale  # what is shown is not a published version
    (new,) = in_memory.names()
    before, after = (name.split(".") for name in (old[0], new))
    assert (before[:4], int(before[4])) < (after[:4], int(after[4]))  # a later version, of the same published one
    assert before[:4] == after[:4]


def test_a_graph_made_anew_never_meets_the_projection_of_the_one_before(
    rag: HippoRAG, in_memory: InMemory, driver: neo4j.Driver, server: TestServer
) -> None:
    """The same number of versions, but other nodes, which may even have the ids of the deleted ones."""
    ask(rag)
    old = in_memory.names()
    driver.execute_query("MATCH (n) WHERE n.namespace = $n DETACH DELETE n", n=rag.namespace, database_=server.database)
    write(rag, [passage("9", ("ada", "knows", "zoe")), passage("8", ("zoe", "knows", "yan"))])
    assert ids(ask(rag)) == ["9", "8"]
    assert len(in_memory.names()) == 1
    assert in_memory.names() != old


def test_a_namespace_without_a_graph_or_a_phrase_is_refused(rag: HippoRAG, empty: HippoRAG) -> None:
    run = BlockingSources(rag.database, rag.embedder, lambda: None).run
    with pytest.raises(GraphNotFoundError, match="holds no graph"):
        finish(ensure_projection(run, "test_no_such", Weights()))
    with pytest.raises(GraphNotFoundError, match="holds no phrase"):
        finish(ensure_projection(run, empty.namespace, Weights()))


@pytest.fixture
def empty(settings: Settings, make_namespace: Callable[[], str]) -> Iterator[HippoRAG]:
    """A graph that was made and holds nothing."""
    with HippoRAG(settings, namespace=make_namespace(), embedder=HashEmbedder(DIMENSIONS)) as opened:
        opened.init()
        yield opened


class Interrupted:
    """A writer commits and publishes beside one statement, `before` or after it, the first `times` times."""

    def __init__(self, rag: HippoRAG, statement: str, *, times: int, before: bool = False) -> None:
        self.seen = 0
        self._inner = BlockingSources(rag.database, rag.embedder, lambda: None)
        self._statement = statement
        self._times = times
        self._before = before

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        if query != self._statement or self.seen == self._times:
            return await self._inner.run(query, **parameters)
        self.seen += 1
        if self._before:
            self._commit(parameters["namespace"])
        rows = await self._inner.run(query, **parameters)
        if not self._before:
            self._commit(parameters["namespace"])
        return rows

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody decides."""
        await self._inner.need_decider(facts=facts)

    @property
    def waiting(self) -> Waiting:
        """How it waits."""
        return self._inner.waiting

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts."""
        return await self._inner.embed(texts)

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question."""
        return await self._inner.name_entities(question)

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question."""
        return await self._inner.filter_facts(question, facts, known)

    def _commit(self, namespace: str) -> None:
        self._inner.database.run("indexing/raise_version", namespace=namespace)
        self._inner.database.run("indexing/publish_version", namespace=namespace)


def rank(sources: Sources, rag: HippoRAG) -> Ranking:
    """From the one seed `ada`."""
    seeds = {phrase_key(rag.namespace, "ada"): Seed("ada", 1.0, "ada", 1.0)}
    graph = open_graph(rag.database, rag.namespace)
    return finish(rank_by_mentions(Inquiry(sources, graph, "Who knows whom?"), seeds))


def ranked(ranking: Ranking) -> list[str]:
    return [p.id for p in ranking.passages]
