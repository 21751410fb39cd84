"""Two namespaces never see each other, and data of others is neither seen nor touched."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import neo4j
import pytest

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import MODES, ExtractedPassage, Mode, RetrievalResult
from hipporag_neo4j.errors import ForeignDataError, GraphMismatchError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, read_content, write
from tests.servers import TestServer, remove_namespace

EMBEDDER = HashEmbedder(DIMENSIONS)
QUESTION = "Who knows Bob, and who knows Cleo?"


def passages(team: str) -> list[ExtractedPassage]:
    """The same ids, texts and facts for every team."""
    made = [
        passage("1", ("Ada", "knows", "Bob"), title="Ada"),
        passage("2", ("Bob", "knows", "Cleo")),
        passage("3", ("Cleo", "knows", "Ada")),
    ]
    return [replace(p, passage=replace(p.passage, metadata={"team": team})) for p in made]


def ask(rag: HippoRAG, mode: str) -> RetrievalResult:
    return rag.retrieve(QUESTION, mode=cast(Mode, mode), entities=["Bob"], fact_filter=keep_all)


@pytest.mark.parametrize("mode", MODES)
def test_the_same_passages_in_two_namespaces(mode: str, settings: Settings, make_namespace: Callable[[], str]) -> None:
    one, other = (HippoRAG(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
    with one, other:
        write(one, passages("one"))
        before = ask(one, mode)
        write(other, passages("other"))
        for rag, team in ((one, "one"), (other, "other")):
            result = ask(rag, mode)
            assert {p.metadata["team"] for p in result.passages} == {team}
            assert len({p.id for p in result.passages}) == len(result.passages)
        after = ask(one, mode)
        assert [p.id for p in after.passages] == [p.id for p in before.passages]
        if mode != "bm25":  # whose word statistics are those of the whole index
            assert [p.score for p in after.passages] == pytest.approx([p.score for p in before.passages])


def test_writing_in_one_changes_nothing_in_the_other(
    settings: Settings, make_namespace: Callable[[], str], driver: neo4j.Driver, server: TestServer
) -> None:
    one, other = (HippoRAG(settings, namespace=make_namespace(), embedder=EMBEDDER) for _ in range(2))
    with one, other:
        write(one, passages("one"))
        write(other, passages("other"))
        before, status = read_content(driver, server, one.namespace), one.status()
        write(other, [passage("1", ("Zoe", "knows", "Yan")), passage("2"), passage("3", ("Ada", "knows", "Bob"))])
        assert read_content(driver, server, one.namespace) == before
        assert one.status() == status
        assert other.status().facts == 2


def test_a_namespace_that_begins_like_another_keeps_its_projection(
    settings: Settings, make_namespace: Callable[[], str], driver: neo4j.Driver, server: TestServer
) -> None:
    longer = make_namespace()
    shorter = longer[:-1]  # not made by the fixture, so removed here
    with (
        HippoRAG(settings, namespace=shorter, embedder=EMBEDDER) as one,
        HippoRAG(settings, namespace=longer, embedder=EMBEDDER) as other,
    ):
        try:
            write(one, passages("one"))
            write(other, passages("other"))
            for rag in (one, other, one):
                ask(rag, "hipporag1")
                write(rag, [passage("4", ("Ada", "met", f"Dora of {rag.namespace}"))])
                ask(rag, "hipporag1")
            rows = driver.execute_query(
                "CALL gds.graph.list() YIELD graphName WHERE graphName STARTS WITH $prefix RETURN graphName",
                prefix=f"hipporag.{longer}.",
                database_=server.database,
            ).records
            assert len(rows) == 1
            assert {p.metadata.get("team") for p in ask(one, "hipporag1").passages} == {"one", None}
        finally:
            remove_namespace(driver, server.database, shorter)


@pytest.mark.parametrize("mode", MODES)
def test_passages_of_others_are_tolerated_and_never_found(
    mode: str, settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    """They have the labels, texts, even vectors under the same name, but neither `key` nor `namespace`."""
    (vector,) = EMBEDDER.embed([QUESTION])
    made = driver.execute_query(
        "CREATE (p:Passage {id: 'theirs', title: $q, text: $q, embedding: $vector, status: 'written'}) "
        "CREATE (b:Phrase {name: 'bob', embedding: $vector}) "
        "CREATE (p)-[:MENTIONS {count: 5}]->(b)-[:RELATES {predicate: 'is', embedding: $vector}]->(b) "
        "RETURN elementId(p) AS p, elementId(b) AS b",
        q=QUESTION,
        vector=[float(x) for x in vector],
        database_=server.database,
    ).records[0]
    try:
        with HippoRAG(settings, embedder=EMBEDDER) as rag:
            write(rag, passages("ours"))
            rag.init()
            result = ask(rag, mode)
            assert {p.metadata["team"] for p in result.passages} == {"ours"}
            assert rag.status().passages == 3
            assert rag.status().phrases == 3
            left = driver.execute_query(
                "MATCH (p)-[m:MENTIONS]->(b)-[r:RELATES]->(b) WHERE elementId(p) = $p AND elementId(b) = $b "
                "RETURN p.key, b.key, b.unlinked, m.count, r.key",
                p=made["p"],
                b=made["b"],
                database_=server.database,
            ).records
            assert [list(row) for row in left] == [[None, None, None, 5, None]]
    finally:
        driver.execute_query(
            "MATCH (n) WHERE elementId(n) IN $ids DETACH DELETE n",
            ids=[made["p"], made["b"]],
            database_=server.database,
        )


@pytest.mark.usefixtures("clean_database")
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE (:Passage {key: 'theirs'})", "1 Passage"),
        ("CREATE (:Phrase {namespace: 'theirs'})", "1 Phrase"),
        ("CREATE (:Person)-[:RELATES {key: 'theirs'}]->(:Person)", "1 RELATES"),
    ],
)
def test_properties_of_others_that_are_ours_are_refused(
    statement: str, named: str, settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    driver.execute_query(statement, database_=server.database)
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        with pytest.raises(ForeignDataError, match=named):
            write(rag, passages("ours"))
        nodes = driver.execute_query("MATCH (n:HippoGraph) RETURN n", database_=server.database).records
        assert nodes == []


def test_a_graph_that_is_there_is_not_looked_for_data_of_others_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That reads all nodes of the database, which a small change must not pay for."""
    sent: list[str] = []
    run = Database.run

    def noted(self: Database, query: str, **parameters: Any) -> Any:
        sent.append(query)
        return run(self, query, **parameters)

    monkeypatch.setattr(Database, "run", noted)
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.init()
        assert sent.count("schema/find_foreign_data") == 1
        rag.init()
        assert sent.count("schema/find_foreign_data") == 1


@pytest.mark.usefixtures("clean_database")
def test_an_index_of_others_in_the_place_of_ours_is_refused(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    driver.execute_query(
        "CYPHER 25 CREATE VECTOR INDEX theirs FOR (p:Passage) ON p.embedding WITH [p.namespace] "
        "OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}",
        database_=server.database,
    )
    with (
        HippoRAG(settings, embedder=EMBEDDER) as rag,
        pytest.raises(ForeignDataError, match="'hipporag_passage_embedding' can't be made"),
    ):
        rag.init()


def test_another_dimension_is_refused_in_every_namespace(settings: Settings, make_namespace: Callable[[], str]) -> None:
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        rag.init()
    with (
        HippoRAG(settings, namespace=make_namespace(), embedder=HashEmbedder(64)) as rag,
        pytest.raises(GraphMismatchError, match="hold 384 dimensions, the embedding model gives 64"),
    ):
        rag.init()


@pytest.mark.parametrize("weights", ["sum", "paper"])
def test_edges_of_others_between_our_phrases_carry_nothing(
    weights: str, settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    """A relationship without this product's properties, which would have no weight and spoil every score."""
    settings = settings.model_copy(update={"projection_weights": weights})
    with HippoRAG(settings, embedder=EMBEDDER) as rag:
        write(rag, passages("one"))
        before = ask(rag, "hipporag1")
        with driver.session(database=server.database) as session:
            session.run(
                "MATCH (a:Phrase {name: 'ada', namespace: $namespace}) "
                "MATCH (b:Phrase {name: 'bob', namespace: $namespace}) "
                "CREATE (a)-[:RELATES]->(b), (b)-[:SYNONYM]->(a)",
                namespace=rag.namespace,
            ).consume()
        write(rag, [passage("4", ("Dora", "likes", "Emil"))])  # another version, so another projection
        after = ask(rag, "hipporag1")
    assert [p.id for p in after.passages] == [p.id for p in before.passages]
    assert [p.score for p in after.passages] == pytest.approx([p.score for p in before.passages])
