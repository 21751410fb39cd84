"""Two tenants with the same ids, texts, facts and metadata: nothing that one does or asks reaches the other."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import neo4j
import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.domain import MODES, ExtractedPassage, Mode
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.keys import fact_key, passage_key, phrase_key
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
QUESTION = "Who knows Bob, and who knows Cleo?"
FILTERS = (None, {"test_year": {">=": 2001}})

NOT_A_TENANTS = {
    "bench": "made-up graphs, and a namespace's own",
    "estimate": "sizes of graphs, none of which is looked at",
    "existing": "a graph of others, which has no namespaces; held to reading by test_statements.py",
    "doctor": "a graph of three nodes in memory",
    "schema": "the database's indexes, and which graphs there are; of data only what others have",
    "server": "the server's password",
    "experiment": "projections by name",
    "projection": "projections by name, which begins with the namespace",
}
"""Stages whose statements may do without a namespace."""
BY_KEY = re.compile(r"\bkey: (?:row\.|pair\.|\$key\b)|\.key IN \$keys\b|\{key: row\b")
"""A key is made from namespace and content, so that one tenant's is never another's."""
OTHERWISE = {
    "demo/show_demo": "names the namespace itself",
    "drop/list_constraints": "the database's constraints",
    "health/count_components": "a projection by name",
    "indexing/find_property_keys": "the database's property keys, which hold no data",
}


READ = """
MATCH (n:{label}) WHERE n.namespace = $namespace
OPTIONAL MATCH (n)-[r]-(other)
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, elementId(r) AS edge, type(r) AS type,
       elementId(other) AS other, properties(r) AS more ORDER BY id, edge
"""


def passages() -> list[ExtractedPassage]:
    """The same for every tenant."""
    made = [
        passage("1", ("Ada", "knows", "Bob"), title="Ada"),
        passage("2", ("Bob", "knows", "Cleo"), ("Ada", "knows", "Bob")),
        passage("3", ("Cleo", "knows", "Adah")),
    ]
    return [
        replace(p, passage=replace(p.passage, metadata={"test_year": 2000 + i, "test_team": "x"}))
        for i, p in enumerate(made)
    ]


class Tenant:
    """A namespace, with what stands in it as anybody would read it."""

    def __init__(self, settings: Settings, namespace: str, driver: neo4j.Driver, server: TestServer) -> None:
        self.rag = HippoRAG(settings, namespace=namespace, embedder=EMBEDDER)
        self.namespace = namespace
        self._driver = driver
        self._server = server

    def content(self, tx: "neo4j.Transaction | None" = None) -> str:
        """A hash of all nodes and relationships with all their properties, vectors included, and the database's ids."""
        digest = hashlib.sha256()
        for label in ("Passage", "Phrase", "HippoGraph", "HippoRun", "HippoAnswer", "HippoDeleted"):
            statement: Any = READ.format(label=label)
            if tx is not None:
                rows = [record.values() for record in tx.run(statement, namespace=self.namespace)]
            else:
                with self._driver.session(database=self._server.database) as session:
                    rows = session.run(statement, namespace=self.namespace).values()
            assert rows or label in ("HippoAnswer", "HippoDeleted")
            digest.update(repr(rows).encode())
        return digest.hexdigest()

    def answers(self) -> list[Any]:
        """What it finds in every mode, with and without a filter."""
        found: list[Any] = []
        for mode in MODES:
            for where in FILTERS:
                result = self.rag.retrieve(
                    QUESTION, mode=cast(Mode, mode), entities=["Bob"], fact_filter=keep_all, where=where
                )
                scored = mode != "bm25"  # whose word statistics are those of the whole index
                found.append([(p.id, round(p.score, 9) if scored else None) for p in result.passages])
                found.append((result.seeds, result.looks, result.allowed, result.fallback, result.version))
        return found


@pytest.fixture
def tenants(
    settings: Settings, make_namespace: Callable[[], str], driver: neo4j.Driver, server: TestServer
) -> Iterator[tuple[Tenant, Tenant]]:
    """One who acts, and one who must not notice."""
    made = tuple(Tenant(settings, make_namespace(), driver, server) for _ in range(2))
    for tenant in made:
        tenant.rag.declare_filterable({"test_year": "int", "test_team": "string"})
        write(tenant.rag, passages())
    yield made[0], made[1]
    for tenant in made:
        tenant.rag.close()


def test_nothing_that_one_does_reaches_the_other(tenants: tuple[Tenant, Tenant]) -> None:
    acting, other = tenants
    rag = acting.rag
    content, answers = other.content(), other.answers()
    assert acting.content() != content
    assert [a for a in acting.answers() if isinstance(a, list)] == [a for a in answers if isinstance(a, list)]
    actions: dict[str, Callable[[], Any]] = {
        "ask": acting.answers,
        "index again": lambda: write(rag, passages()),
        "change": lambda: write(rag, [passage("1", ("Ada", "met", "Bob")), passage("4", ("Bob", "knows", "Cleo"))]),
        "declare": lambda: rag.declare_filterable({"test_year": "int", "test_score": "float"}),
        "delete by metadata": lambda: rag.delete(where={"test_year": 2001}),
        "delete by id": lambda: rag.delete(["3", "1"]),
        "another threshold": lambda: rag.set_synonym_threshold(0.5),
        "look": lambda: (rag.status(), rag.tune_synonyms([0.6]), rag.kept_answers()),
        "forget": lambda: rag.clear_answers(datetime.now(UTC)),
        "drop": lambda: rag.drop(),
    }
    for name, act in actions.items():
        act()
        assert other.content() == content, name
    assert other.answers() == answers


def test_no_statement_crosses(tenants: tuple[Tenant, Tenant], driver: neo4j.Driver, server: TestServer) -> None:
    """Each one alone, with one tenant's namespace and keys: it shows no key of the other's, changes nothing there."""
    acting, other = tenants
    content = other.content()
    values = everything(acting.namespace)
    foreign = {*everything(other.namespace)["keys"], other.namespace}
    ran = 0
    with driver.session(database=server.database) as session:
        for name in queries.names():
            query = queries.load(name)
            if query.mode == "schema" or name.split("/")[0] in NOT_A_TENANTS or not query.parameters <= values.keys():
                continue
            if "namespace" not in query.parameters and name in OTHERWISE:
                continue
            with session.begin_transaction() as tx:
                rows = repr(tx.run(cast(Any, query.text), {p: values[p] for p in query.parameters}).values())
                assert not [key for key in foreign if repr(key) in rows], name
                if query.mode == "write":
                    assert other.content(tx) == content, name
                tx.rollback()
            ran += 1
    assert ran > 60
    assert other.content() == content


def everything(namespace: str) -> dict[str, Any]:
    """A value for most parameters: of whatever has a key in a namespace, its key."""
    names = ("ada", "bob", "cleo", "adah")
    phrases = [phrase_key(namespace, name) for name in names]
    found = [passage_key(namespace, id_) for id_ in "123"]
    facts = [fact_key(namespace, s, "knows", o) for s, o in (("ada", "bob"), ("bob", "cleo"), ("cleo", "adah"))]
    keys = [*found, *phrases, *facts]
    (vector,) = as_vectors(EMBEDDER.embed(["bob"]))
    seeds = [{"key": key, "weight": 1.0} for key in phrases]
    return {
        "namespace": namespace, "keys": keys, "ids": ["1", "2", "3"], "documents": ["1", "2"], "titles": ["Ada"],
        "embedding": vector, "negated": vector, "fetch": 50, "limit": 50, "most": 50, "shown": [], "entities": [
            {"name": name, "key": key, "embedding": vector} for name, key in zip(names, phrases, strict=True)
        ],
        "phrases": phrases, "passages": found, "seeds": seeds, "terms": "ada bob cleo knows", "source": phrases[0],
        "target": phrases[2], "threshold": 0.5, "dimensions": DIMENSIONS, "run": "r", "now": datetime.now(UTC),
        "before": datetime.now(UTC), "figures": {"kind": "index"}, "version": 1, "key": phrases[0], "name": "bob",
        "names": ["meta_test_year"], "conditions": [{"property": "meta_test_year", "value": 2001}],
        "added": ["test_year:int"], "properties": {"status": "written"},
        "rows": [
            {
                "key": key, "properties": {}, "embedding": vector, "name": "bob", "subject": phrases[0],
                "object": phrases[1], "predicate": "knows", "passages": ["1"], "passage": found[0],
                "phrases": [[phrases[0], 1]], "source": phrases[0], "target": phrases[2], "score": 0.9, "unlinked": "r",
            }
            for key in keys[:1]
        ],
    }  # fmt: skip


@pytest.mark.parametrize("name", queries.names())
def test_every_statement_names_a_namespace_or_keys(name: str) -> None:
    query = queries.load(name)
    if query.mode == "schema" or name.split("/")[0] in NOT_A_TENANTS or name in OTHERWISE:
        return
    assert "namespace" in query.parameters or BY_KEY.search(query.text), name


def test_a_passage_of_others_at_our_phrase_counts_for_nothing(
    tenants: tuple[Tenant, Tenant], driver: neo4j.Driver, server: TestServer
) -> None:
    """Neither as one that mentions it, nor as what a walk finds."""
    acting, _ = tenants
    before = acting.answers()
    driver.execute_query(
        "MATCH (b:Phrase {name: 'bob', namespace: $namespace}) "
        "CREATE (:Passage {id: '1', title: 'Theirs'})-[:MENTIONS {count: 9}]->(b)",
        namespace=acting.namespace,
        database_=server.database,
    )
    try:
        assert acting.answers() == before
    finally:
        driver.execute_query(
            "MATCH (p:Passage {title: 'Theirs'})-[:MENTIONS]->(:Phrase {namespace: $namespace}) DETACH DELETE p",
            namespace=acting.namespace,
            database_=server.database,
        )


def test_what_one_declares_the_other_may_not_filter_by(tenants: tuple[Tenant, Tenant]) -> None:
    acting, other = tenants
    acting.rag.declare_filterable({"test_score": "float"})
    assert acting.rag.retrieve("Bob", mode="dense", where={"test_score": 1.0}).passages == ()

    with pytest.raises(InputError, match="'test_score', which isn't declared"):
        other.rag.retrieve("Bob", mode="dense", where={"test_score": 1.0})
