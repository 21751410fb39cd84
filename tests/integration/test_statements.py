"""Every stored statement is one the server takes; reading ones don't write; none scans where an index would do."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, LiteralString

import neo4j
import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.existing.graph_file import parse_graph_file
from hipporag_neo4j.existing.layout import Layout
from hipporag_neo4j.existing.open_layout import open_layout
from hipporag_neo4j.filters import FilterProperties, make_filter
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.servers import TestServer

SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "UnionNodeByLabelsScan",
    "IntersectionNodeByLabelsScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedUnionRelationshipTypesScan",
    "UndirectedUnionRelationshipTypesScan",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
    "NodeIndexScan",
    "DirectedRelationshipIndexScan",
    "UndirectedRelationshipIndexScan",
}
MAY_SCAN = {
    # Looks for data of others, by any way that is cheapest for the database at hand.
    "schema/find_foreign_data": SCANS,
    # The index holds only unlinked phrases, none most of the time: reading it whole is as cheap as looking in it.
    "indexing/count_unlinked": {"NodeIndexScan"},
    # One node a namespace, and all of them are wanted.
    "schema/list_graphs": {"NodeByLabelScan"},
    "schema/list_filterable": {"NodeByLabelScan"},
    # Asked now and then, by a person, of all phrases or passages of a namespace: whether the index of the namespace is
    # cheaper than one in the order wanted depends on the database at hand.
    **{name: {"NodeIndexScan"} for name in queries.names() if name.startswith("inspect/")},
    # Others have no namespace: all that has a label or a type is theirs.
    **{name: SCANS for name in queries.names() if name.startswith("existing/")},
}
"""Statements that may look at everything of a kind."""
SHOWS = {"bench/read_heap", "schema/show_server", "schema/show_versions"}
"""Statements whose procedures the server counts as administration."""
OTHERS = {
    "passages": {
        "label": "Passage", "id": "id", "title": "title", "text": "text", "vector": "embedding",
        "vector_index": "hipporag_passage_embedding",
    },
    "phrases": [{"label": "Phrase", "name": "name", "vector": "embedding"}],
    "mentions": [{"steps": [{"type": "MENTIONS", "direction": "out"}], "count": "count"}],
    "relationships": [{"type": "RELATES", "vector": "embedding"}],
}  # fmt: skip
"""Names that fill the gaps of statements over graphs of others."""
OTHER_DATABASE = {"server/change_password": "system"}


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    """A value for every parameter that a statement declares."""
    (vector,) = as_vectors(HashEmbedder(DIMENSIONS).embed(["x"]))
    return {
        "keys": ["x"], "documents": ["x"], "ids": ["x"], "titles": ["x"], "dimensions": DIMENSIONS, "limit": 10,
        "fetch": 50, "digits": 2,
        "namespace": "test_statements", "run": "r", "runs": ["r"], "now": datetime.now(UTC), "seconds": 1,
        "figures": {"a": 1}, "kinds": {"x": {}}, "kind": {}, "index": "x",
        "properties": {"a": 1}, "graph": "g", "lock": "g", "builder": "x", "version": 1, "base": "g",
        "prefix": "p", "suffix": "s", "fact_weight": 2.0, "synonym_weight": 2.0,
        "mention_weight": 1.0, "negated": vector, "shown": ["x"], "phrases": [{"key": "x", "weight": 1.0}],
        "passages": [{"key": "x", "weight": 1.0}],
        "published": 1, "seeds": [{"key": "x", "weight": 1.0}], "damping": 0.5, "iterations": 20, "tolerance": 1e-7,
        "concurrency": 1, "minimum": 0.0, "terms": "x", "scope": "x", "embedding": vector, "password": "x",
        "old": "x", "new": "y", "source": "x", "target": "y", "threshold": 0.9, "synonym_from": 0.8,
        "pairs": [{"source": "x", "target": "y", "score": 0.9, "seed": "x", "passage": "x"}], "through_passages": True,
        "walks": [{"number": 0, "phrases": [{"key": "x", "weight": 1.0}], "passages": []}],
        "instances": [{"number": 0, "phrases": ["x"], "seeds": [{"key": "x", "weight": 1.0}]}],
        "names": ["x"], "added": ["x:int"], "name": "x", "conditions": [{"property": "meta_x", "value": 1}],
        "kept": 1000, "nodes": 10, "relationships": 20, "key": "x", "before": datetime.now(UTC),
        "created": datetime.now(UTC), "most": 10,
        "phrase": "x", "passage": "x", "other": "y", "subject": "x", "says": "x", "object": "y", "text": "x",
        "id": "x", "job": "x", "round": 1, "batches": [{"id": "x"}],
        "value": "x", "share": 0.8, "subjects": 5, "words": 40, "part": "x", "start": "x",
        "entities": [{"name": "x", "key": "x", "embedding": vector}], "edges": [[0, 1, 1.0]], "sources": [[0, 1.0]],
        "rows": [
            {
                "key": "x", "properties": {}, "embedding": vector, "name": "x", "subject": "x", "object": "x",
                "predicate": "x", "passages": ["x"], "passage": "x", "phrases": [["x", 1]], "source": "x",
                "target": "y", "score": 0.9, "unlinked": "x",
            }
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def graph(module_settings: Settings) -> Iterator[HippoRAG]:
    """A graph, so that all labels, properties and indexes are there."""
    with HippoRAG(module_settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        rag.declare_filterable({"test_year": "int", "test_team": "string"})
        write(rag, [passage("1", ("ada", "knows", "bob"), ("bob", "knows", "adah"))])
        yield rag


@pytest.fixture(scope="module")
def others(graph: HippoRAG) -> Layout:
    """This product's own graph, as if others had made it; its indexes are there."""
    file = parse_graph_file(OTHERS, "the test")
    sources = BlockingSources(graph.database, graph.embedder, lambda: None)
    return finish(open_layout(sources, file, "the test"))


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("name", queries.names())
def test_the_server_takes_it(
    name: str, driver: neo4j.Driver, server: TestServer, values: dict[str, Any], others: Layout
) -> None:
    query = queries.load(name)
    if query.named:
        query = query.with_names(others)
    parameters = {p: values[p] for p in query.parameters}
    text: Any = f"EXPLAIN {query.text}"
    if query.text.startswith("CYPHER 25"):
        text = query.text.replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1)
    with driver.session(database=OTHER_DATABASE.get(name, server.database)) as session:
        summary = session.run(text, parameters).consume()
    allowed = {"read": {"r"}, "write": {"w", "rw"}, "schema": {"r", "w", "rw", "s"}}[query.mode]
    assert summary.query_type in allowed | ({"s"} if name in SHOWS else set()), f"{name} says {query.mode}"
    assert summary.plan is not None
    scans = set(operators(summary.plan)) & SCANS
    assert scans <= MAY_SCAN.get(name, set()), f"{name} scans: {scans}"


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("name", [name for name in queries.names() if queries.load(name).filtered])
def test_the_server_takes_it_with_a_filter(
    name: str, driver: neo4j.Driver, server: TestServer, values: dict[str, Any]
) -> None:
    where = make_filter(
        {"test_year": {">=": 2000, "<": 2010}, "test_team": "x"}, {"test_year": "int", "test_team": "string"}, "n"
    )
    index = name == "schema/create_filterable_index"
    query = queries.load(name).with_filter(FilterProperties(("test_year", "test_team")) if index else where)
    parameters = {p: values[p] for p in queries.load(name).parameters} | ({} if index else where.parameters)
    assert parameters.keys() == query.parameters
    text: Any = query.text.replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1)
    with driver.session(database=server.database) as session:
        summary = session.run(text, parameters).consume()
    assert summary.query_type in {"schema": {"s"}, "read": {"r"}}[query.mode]
    assert summary.plan is not None
    assert not set(operators(summary.plan)) & SCANS


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """Names of all operators of a plan."""
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", []):
        yield from operators(child)


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize(
    ("statement", "operator"),
    [
        ("EXPLAIN MATCH (n) RETURN n", "AllNodesScan"),
        ("EXPLAIN MATCH (p:Passage) RETURN p", "NodeByLabelScan"),
        ("EXPLAIN MATCH ()-[r:RELATES]->() RETURN r", "DirectedRelationshipTypeScan"),
    ],
)
def test_a_scan_is_seen(statement: LiteralString, operator: str, driver: neo4j.Driver, server: TestServer) -> None:
    with driver.session(database=server.database) as session:
        plan = session.run(statement).consume().plan
    assert plan is not None
    assert set(operators(plan)) & SCANS == {operator}
