"""Graphs as other teams have them: one of neo4j-graphrag's pipeline, one of films, and a copy of one of ours."""

import itertools
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from hipporag_neo4j.embedding import Embedder
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

CHUNKS = (
    "Oda Merrin taught Ilse Corvane to build tide viols in Carrowick.",
    "Ilse Corvane lives on Cooper's Stair in Pellick.",
    "Runa Estermont sells salt in Carrowick.",
    "Joss Averill sails the ferry from Pellick to the Skerries.",
)
ENTITIES: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("Person", "Oda Merrin", (0,)),
    ("Person", "Ilse Corvane", (0, 1)),
    ("Person", "Runa Estermont", (2,)),
    ("Person", "Joss Averill", (3,)),
    ("Place", "Carrowick", (0, 2)),
    ("Place", "Pellick", (1, 3)),
    ("Street", "Cooper's Stair", (1,)),
)
"""Label, name, and the chunks that they were found in."""
RELATIONS = (
    ("Oda Merrin", "TAUGHT", "Ilse Corvane"),
    ("Oda Merrin", "WORKS_IN", "Carrowick"),
    ("Ilse Corvane", "LIVES_ON", "Cooper's Stair"),
    ("Cooper's Stair", "PART_OF", "Pellick"),
    ("Runa Estermont", "WORKS_IN", "Carrowick"),
    ("Joss Averill", "SAILS_FROM", "Pellick"),
)

PIPELINE: dict[str, Any] = {
    "passages": {"label": "Chunk", "text": "text", "metadata": ["index"], "vector": "embedding"},
    "phrases": [{"label": "__Entity__", "name": "name", "vector": "embedding"}],
    "mentions": [{"steps": [{"type": "FROM_CHUNK", "direction": "in"}]}],
    "relationships": [{"type": "*"}],
}
"""What a file says of a graph as the pipeline makes it, entities embedded."""


@contextmanager
def pipeline_graph(driver: "neo4j.Driver", server: TestServer, embedder: Embedder) -> "Iterator[Run]":
    """A graph as neo4j-graphrag's SimpleKGPipeline writes it, by its own classes and statements.

    Only relationships are merged by a statement of these tests, since the library's needs APOC. Indexes are made as its
    documentation says; entities are embedded, which the pipeline leaves to its user.
    """
    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.lexical_graph import LexicalGraphBuilder
    from neo4j_graphrag.components.types import (
        DocumentInfo,
        LexicalGraphConfig,
        Neo4jNode,
        TextChunk,
    )
    from neo4j_graphrag.neo4j_queries import upsert_node_query

    config, builder = LexicalGraphConfig(), LexicalGraphBuilder()
    vectors = embedder.embed(list(CHUNKS)).tolist()
    document = DocumentInfo(path="viols.txt")
    chunks = [
        TextChunk(text=text, index=number, metadata={"embedding": vectors[number]})
        for number, text in enumerate(CHUNKS)
    ]
    entities = [Neo4jNode(id=uuid.uuid4().hex, label=label, properties={"name": name}) for label, name, _ in ENTITIES]
    nodes = [builder.create_document_node(document), *(builder.create_chunk_node(chunk) for chunk in chunks), *entities]
    edges = [builder.create_chunk_to_document_rel(chunk, document) for chunk in chunks]
    edges += [builder.create_next_chunk_relationship(one, other) for one, other in itertools.pairwise(chunks)]
    for entity, (_, _, found_in) in zip(entities, ENTITIES, strict=True):
        edges += [builder.create_node_to_chunk_rel(entity, chunks[number].chunk_id) for number in found_in]
    ids = {entity.properties["name"]: entity.id for entity in entities}
    rows = [{"type": edge.type, "start": edge.start_node_id, "end": edge.end_node_id} for edge in edges]
    rows += [{"type": kind, "start": ids[start], "end": ids[end]} for start, kind, end in RELATIONS]
    names = [name for _, name, _ in ENTITIES]
    own = [
        dict(zip(("name", "vector"), pair, strict=True))
        for pair in zip(names, embedder.embed(names).tolist(), strict=True)
    ]
    with graph_of_others(driver, server, ["__KGBuilder__"]) as run:
        run(upsert_node_query(True, True), rows=Neo4jWriter._nodes_to_rows(nodes, config))
        run(
            "CYPHER 25 UNWIND $rows AS row MATCH (a:__KGBuilder__ {__tmp_internal_id: row.start}) "
            "MATCH (b:__KGBuilder__ {__tmp_internal_id: row.end}) MERGE (a)-[:$(row.type)]->(b)",
            rows=rows,
        )
        run("MATCH (n:__KGBuilder__) REMOVE n.__tmp_internal_id")
        run(
            "UNWIND $own AS one MATCH (n:__Entity__ {name: one.name}) "
            "CALL db.create.setNodeVectorProperty(n, 'embedding', one.vector)",
            own=own,
        )
        with indexes(
            run,
            f"CREATE VECTOR INDEX $name FOR (n:Chunk) ON n.embedding OPTIONS {options(embedder)}",
            f"CREATE VECTOR INDEX $name FOR (n:__Entity__) ON n.embedding OPTIONS {options(embedder)}",
            "CREATE FULLTEXT INDEX $name FOR (n:Chunk) ON EACH [n.text]",
        ):
            yield run


class Run:
    """Runs a statement of these tests."""

    def __init__(self, driver: "neo4j.Driver", server: TestServer) -> None:
        self._driver, self._database = driver, server.database

    def __call__(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        text: Any = statement
        with self._driver.session(database=self._database) as session:
            return session.run(text, parameters).data()


@contextmanager
def graph_of_others(driver: "neo4j.Driver", server: TestServer, labels: Sequence[str]) -> Iterator[Run]:
    """Runs statements; nodes with these labels are removed afterwards. Skips where somebody has such nodes."""
    run = Run(driver, server)
    for label in labels:
        if run("CYPHER 25 MATCH (n:$($label)) RETURN count(n) AS n", label=label)[0]["n"]:
            pytest.skip(f"{server.uri} holds nodes labelled {label}, which this test would remove")
    try:
        yield run
    finally:
        for label in labels:
            run("CYPHER 25 MATCH (n:$($label)) DETACH DELETE n", label=label)


@contextmanager
def indexes(run: Run, *statements: str) -> Iterator[list[str]]:
    """Indexes, each of a name of its own, online; dropped again."""
    made: list[str] = []
    try:
        for statement in statements:
            name = f"test_existing_{uuid.uuid4().hex[:12]}"
            run(statement.replace("$name", name))
            made.append(name)
        run("CALL db.awaitIndexes(60)")
        yield made
    finally:
        for name in made:
            run(f"DROP INDEX {name} IF EXISTS")


def options(embedder: Embedder) -> str:
    """Of a vector index over the embedder's vectors."""
    return f"{{indexConfig: {{`vector.dimensions`: {embedder.dimensions}, `vector.similarity_function`: 'cosine'}}}}"


def everything(run: Run) -> Mapping[str, Any]:
    """All nodes and relationships with all they hold, and the schema: what must be as it was."""
    return {
        "nodes": run("MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS held ORDER BY id"),
        "relationships": run(
            "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS type, elementId(a) AS a, elementId(b) AS b, "
            "properties(r) AS held ORDER BY id"
        ),
        "schema": run("SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name"),
    }


def copied_file(mark: str) -> dict[str, Any]:
    """What a file says of the copy that `copied_graph` makes."""
    return {
        "passages": {
            "label": f"Text{mark}", "id": "nr", "title": "heading", "text": "body", "vector": "v",
        },
        "phrases": [{"label": f"A thing `{mark}`", "name": "called", "vector": "v"}],
        "mentions": [{"steps": [{"type": f"IN{mark}", "direction": "in"}], "count": "times"}],
        "relationships": [
            {
                "type": f"SAYS{mark}", "weight": 2, "weight_property": "stated", "predicate_property": "what",
                "reversed": True, "vector": "v",
            },
            {"type": f"SAME{mark}", "weight": 2, "weight_property": "score", "fact": False},
        ],
    }  # fmt: skip


@contextmanager
def copied_graph(
    driver: "neo4j.Driver", server: TestServer, namespace: str, embedder: Embedder, mark: str
) -> Iterator[Run]:
    """A namespace's graph once more, under labels, types and properties of somebody else, facts stored backwards."""
    with graph_of_others(driver, server, [f"Text{mark}", f"A thing `{mark}`"]) as run:
        for statement in (
            "MATCH (p:Passage {namespace: $namespace}) CREATE (t:Text$mark "
            "{nr: p.id, heading: p.title, body: p.text, v: p.embedding})",
            "MATCH (p:Phrase {namespace: $namespace}) CREATE (t:`A thing ``$mark```  {called: p.name, v: p.embedding})",
            "MATCH (p:Passage {namespace: $namespace})-[m:MENTIONS]->(f:Phrase) MATCH (t:Text$mark {nr: p.id}) "
            "MATCH (g:`A thing ``$mark``` {called: f.name}) CREATE (g)-[:IN$mark {times: m.count}]->(t)",
            "MATCH (a:Phrase {namespace: $namespace})-[r:RELATES]->(b:Phrase) "
            "MATCH (x:`A thing ``$mark``` {called: a.name}) "
            "MATCH (y:`A thing ``$mark``` {called: b.name}) "
            "CREATE (y)-[:SAYS$mark {what: r.predicate, stated: size(r.passages), v: r.embedding}]->(x)",
            "MATCH (a:Phrase {namespace: $namespace})-[r:SYNONYM]->(b:Phrase) "
            "MATCH (x:`A thing ``$mark``` {called: a.name}) "
            "MATCH (y:`A thing ``$mark``` {called: b.name}) CREATE (y)-[:SAME$mark {score: r.score}]->(x)",
        ):
            run(statement.replace("$mark", mark), namespace=namespace)
        vectors = options(embedder)
        with indexes(
            run,
            f"CREATE VECTOR INDEX $name FOR (n:Text{mark}) ON n.v OPTIONS {vectors}",
            f"CREATE VECTOR INDEX $name FOR (n:`A thing ``{mark}```) ON n.v OPTIONS {vectors}",
            f"CREATE VECTOR INDEX $name FOR ()-[r:SAYS{mark}]-() ON r.v OPTIONS {vectors}",
            f"CREATE FULLTEXT INDEX $name FOR (n:Text{mark}) ON EACH [n.heading, n.body]",
        ):
            yield run


FILMS = """
[passages]
label = "Film{mark}"
id = "title"
title = "title"
text = ["tagline", "plot"]
metadata = ["released"]

[[phrases]]
label = "Person{mark}"
name = "name"

[[phrases]]
label = "Film{mark}"
name = "title"

[[mentions]]
steps = []                                            # a film is a thing that it tells of itself

[[mentions]]
steps = [{{ type = "PLAYED_IN{mark}", direction = "in" }}]

[[mentions]]
steps = [
    {{ type = "SHOWN_BY{mark}", direction = "out", label = "Studio{mark}" }},
    {{ type = "RUNS{mark}", direction = "in" }},
]

[[relationships]]
type = "PLAYED_IN{mark}"
predicate = "played in"

[[relationships]]
type = "TAUGHT{mark}"
weight = 3
"""
"""What a file says of the graph of films; `{mark}` sets its labels apart."""


@contextmanager
def film_graph(driver: "neo4j.Driver", server: TestServer, mark: str) -> Iterator[Run]:
    """Four invented films with their people: no vector anywhere, and a film is passage and thing at once."""
    with graph_of_others(driver, server, [f"Film{mark}", f"Person{mark}", f"Studio{mark}"]) as run:
        run(
            "CREATE (a:Film$mark {title: 'The Salt Ferry', tagline: 'No way back.', plot: 'A ferryman waits.', "
            "released: date('1961-03-02')}), (b:Film$mark {title: 'Tide Viol', plot: 'A maker loses her oath.'}), "
            "(c:Film$mark {title: 'Rent Day', plot: 'A street goes on strike.', released: date('1970-01-01')}), "
            "(d:Film$mark {title: 'Nobody Home', plot: 'An empty house.'}), "
            "(x:Person$mark {name: 'Mira Tolle'}), (y:Person$mark {name: 'Odo Brand'}), "
            "(z:Person$mark {name: 'Una Krey'}), "
            "(s:Studio$mark {name: 'Lantern'}), "
            "(x)-[:PLAYED_IN$mark]->(a), (y)-[:PLAYED_IN$mark]->(a), (y)-[:PLAYED_IN$mark]->(b), "
            "(x)-[:TAUGHT$mark]->(z), (c)-[:SHOWN_BY$mark]->(s), (z)-[:RUNS$mark]->(s)".replace("$mark", mark)
        )
        with indexes(run, f"CREATE FULLTEXT INDEX $name FOR (n:Film{mark}) ON EACH [n.title, n.plot]"):
            yield run
