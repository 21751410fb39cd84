"""The namespace's graph: made, opened, and checked against what the caller wants to do with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from hipporag_neo4j.database import Database, Row, Transaction
from hipporag_neo4j.errors import (
    ForeignDataError,
    GraphMismatchError,
    GraphNotFoundError,
    QueryError,
    SchemaVersionError,
)
from hipporag_neo4j.filters import FilterType, check_declaration
from hipporag_neo4j.text import Normalisation

ResultT = TypeVar("ResultT")

SCHEMA_VERSION = 1
"""Of the graphs that this package makes, reads and writes; `migrate` brings older ones there."""
DEFAULT_SYNONYM_THRESHOLD = 0.8
INDEX_PREFIX = "hipporag_"
FILTERABLE_INDEX = "hipporag_passage_embedding_filterable"
"""Searched by questions with a filter."""
_VECTOR_INDEXES = ("passage", "phrase", "fact")
_PLAIN_SCHEMA = (
    "schema/create_graph_constraint",
    "schema/create_passage_constraint",
    "schema/create_phrase_constraint",
    "schema/create_fact_constraint",
    "schema/create_answer_constraint",
    "schema/create_passage_index",
    "schema/create_document_index",
    "schema/create_deleted_index",
    "schema/create_phrase_index",
    "schema/create_phrase_name_index",
    "schema/create_unlinked_index",
    "schema/create_fact_index",
    "schema/create_run_index",
    "schema/create_answer_index",
    "schema/create_batch_index",
    "schema/create_passage_text_index",
)
INDEX_WAIT = 3600
"""Seconds that an index may take to be filled."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What a namespace's graph remembers of itself; `filterable`: names of metadata, with the types of their values."""

    namespace: str
    embedding_model: str
    dimensions: int
    normalisation: Normalisation
    synonym_threshold: float
    schema_version: int
    version: int
    published: int
    created: str = ""
    filterable: Mapping[str, FilterType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """A graph as a list of all of them has it; `dropping` says that a drop has begun and is not finished."""

    namespace: str
    embedding_model: str
    schema_version: int
    created: datetime
    dropping: bool


def list_graphs(database: Database) -> tuple[Listed, ...]:
    """Every namespace's graph in the database, by name; also those that this version can't open."""
    return tuple(
        Listed(**(row | {"created": row["created"].to_native()})) for row in database.run("schema/list_graphs")
    )


def find_graph(database: Database, namespace: str) -> Graph | None:
    """The namespace's graph, None where there is none.

    Raises SchemaVersionError for an older or newer one, GraphNotFoundError for one that is being dropped.
    """
    rows = database.run("schema/find_graph", namespace=namespace)
    return read_graph(rows[0]["graph"]) if rows else None


def open_graph(database: Database, namespace: str) -> Graph:
    """The namespace's graph. Raises GraphNotFoundError where there is none, and what `find_graph` raises."""
    return graph_in(database.run("schema/find_graph", namespace=namespace), namespace)


def graph_in(rows: Sequence[Row], namespace: str) -> Graph:
    """The graph in the rows of schema/find_graph; raises as `open_graph`."""
    if not rows:
        raise graph_not_found(namespace)
    return read_graph(rows[0]["graph"])


def graph_not_found(namespace: str) -> GraphNotFoundError:
    """The error that says that a namespace holds no graph, and what to do."""
    return GraphNotFoundError(
        f"The namespace {namespace!r} holds no graph. Index passages first (`hipporag-neo4j index FILE` or "
        "`hipporag-neo4j import-openie FILE`), or name another one with --namespace: `hipporag-neo4j status --all` "
        "lists them."
    )


def lock_graph(tx: Transaction, namespace: str) -> Row:
    """Take the namespace's lock for a write transaction, first thing, by raising its version; what the graph says now.

    Writers on one namespace queue here, and one that a drop or a migration has overtaken stops: raises
    GraphNotFoundError or SchemaVersionError.
    """
    rows = unless_deleted(lambda: tx.run("indexing/raise_version", namespace=namespace))
    if not rows:
        raise GraphNotFoundError(
            f"The namespace {namespace!r} holds no graph any more: it was dropped while this was written to it. Index "
            "the passages again to make it anew."
        )
    refuse_unusable(namespace, rows[0])
    return rows[0]


def unless_deleted(run: Callable[[], ResultT]) -> ResultT | None:
    """What `run` gives, which locks a node; None where that was deleted while it waited for the lock.

    A transaction in which that happened can't go on: `run` is all of it, or it ends with an error.
    """
    try:
        return run()
    except QueryError as error:
        if error.code == "Neo.ClientError.Statement.EntityNotFound":
            return None
        raise


def refuse_unusable(namespace: str, graph: Mapping[str, Any]) -> None:
    """Raises for a graph (its properties) that is being dropped, or of another schema version than this package's."""
    refuse_dropping(namespace, graph)
    version = graph["schema_version"]
    refuse_newer(namespace, version)
    if version < SCHEMA_VERSION:
        raise SchemaVersionError(
            f"The graph in namespace {namespace!r} has schema version {version}; this package works with "
            f"{SCHEMA_VERSION}. Back the database up, then run `hipporag-neo4j migrate --namespace {namespace}`; "
            "clients of the older version can't use the graph any more after that."
        )


def refuse_dropping(namespace: str, graph: Mapping[str, Any]) -> None:
    """Raises GraphNotFoundError for a graph (its properties) whose drop has begun."""
    if graph.get("dropping"):
        raise GraphNotFoundError(
            f"The graph in namespace {namespace!r} is being dropped, and what is left of it can't be used. To finish: "
            f"`hipporag-neo4j drop --namespace {namespace}`; then the namespace is free."
        )


def refuse_newer(namespace: str, version: int) -> None:
    """Raises SchemaVersionError for the schema version of a graph that a newer version of this package made."""
    if version > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"The graph in namespace {namespace!r} has schema version {version}; this package knows {SCHEMA_VERSION}. "
            "Upgrade hipporag-neo4j."
        )


def create_graph(
    database: Database,
    namespace: str,
    *,
    embedding_model: str,
    dimensions: int,
    normalisation: Normalisation | None,
    synonym_threshold: float | None,
) -> Graph:
    """Make the schema and the namespace's graph; what is there already stays, and must fit.

    Without a synonym threshold a new graph gets 0.8. Raises GraphMismatchError when the graph was made with another
    embedding model, dimension, normalisation or threshold, ForeignDataError when a new one meets data of others with
    this product's properties.
    """
    if (there := find_graph(database, namespace)) is not None:
        check_model(there, embedding_model, dimensions)
        check_normalisation(there, normalisation)
        check_threshold(there, synonym_threshold)
    else:
        refuse_foreign_data(database)  # reads all nodes, so not in every run
    refuse_other_dimensions(database, dimensions)
    for statement in _PLAIN_SCHEMA:
        database.run(statement)
    for what in _VECTOR_INDEXES:
        database.run(f"schema/create_{what}_vector_index", dimensions=dimensions)
    refuse_missing_indexes(database)
    database.run("schema/await_indexes", seconds=INDEX_WAIT)
    rows = database.run(
        "schema/create_graph",
        namespace=namespace,
        properties={
            "embedding_model": embedding_model,
            "dimensions": dimensions,
            "normalisation": normalisation or "unicode",
            "synonym_threshold": synonym_threshold or DEFAULT_SYNONYM_THRESHOLD,
            "schema_version": SCHEMA_VERSION,
        },
    )
    return read_graph(rows[0]["graph"])


def check_model(graph: Graph, embedding_model: str, dimensions: int | None = None) -> None:
    """Refuse to mix vectors of two models in one graph. Raises GraphMismatchError.

    Without dimensions the name alone is compared, for which no model need be loaded.
    """
    if embedding_model != graph.embedding_model or dimensions not in (None, graph.dimensions):
        other = "" if dimensions is None else f" ({dimensions} dimensions)"
        raise GraphMismatchError(
            f"The graph in namespace {graph.namespace!r} was made with the embedding model {graph.embedding_model!r} "
            f"({graph.dimensions} dimensions); the settings name {embedding_model!r}{other}. "
            f"Set HIPPORAG_EMBEDDING_MODEL={graph.embedding_model}, or index into another namespace."
        )


def check_normalisation(graph: Graph, normalisation: Normalisation | None) -> None:
    """Refuse to mix two normalisations in one graph; None takes what the graph has. Raises GraphMismatchError."""
    if normalisation not in (None, graph.normalisation):
        raise GraphMismatchError(
            f"The graph in namespace {graph.namespace!r} was made with --normalisation {graph.normalisation}; "
            f"{normalisation} was asked for. Leave the option out, or index into another namespace."
        )


def check_threshold(graph: Graph, synonym_threshold: float | None) -> None:
    """Refuse to link a graph's phrases at two thresholds; None takes what the graph has. Raises GraphMismatchError."""
    if synonym_threshold not in (None, graph.synonym_threshold):
        raise GraphMismatchError(
            f"The graph in namespace {graph.namespace!r} joins synonyms from {graph.synonym_threshold:g} on; "
            f"{synonym_threshold:g} was asked for. Leave HIPPORAG_SYNONYM_THRESHOLD or the option out, or give the "
            f"graph the other one: `hipporag-neo4j tune-synonyms --apply {synonym_threshold:g}`."
        )


def refuse_foreign_data(database: Database) -> None:
    """Raises ForeignDataError when nodes or relationships of others use the properties `key` or `namespace`."""
    rows = database.run("schema/find_foreign_data")
    if rows:
        found = ", ".join(f"{row['found']} {row['what']}" for row in rows)
        raise ForeignDataError(
            f"The database holds data of others that uses this product's labels with the property 'key' or "
            f"'namespace': {found}. Nothing was written. Use another database (NEO4J_DATABASE), or rename those "
            "properties; nodes labelled Passage or Phrase without them are no problem."
        )


def refuse_other_dimensions(database: Database, dimensions: int) -> None:
    """Raises GraphMismatchError when the database's vector indexes were made for another dimension."""
    for index in database.run("schema/show_indexes"):
        if index["dimensions"] not in (None, dimensions):
            raise GraphMismatchError(
                f"The database's vector indexes hold {index['dimensions']} dimensions, the embedding model gives "
                f"{dimensions}. A database has one dimension: use the model the other namespaces use, or another "
                "database (NEO4J_DATABASE)."
            )


def refuse_missing_indexes(database: Database) -> None:
    """Raises ForeignDataError when an index of another name took the place of one of ours."""
    present = {index["name"] for index in database.run("schema/show_indexes")}
    wanted = {f"{INDEX_PREFIX}{what}_embedding" for what in _VECTOR_INDEXES} | {f"{INDEX_PREFIX}passage_text"}
    if missing := sorted(wanted - present):
        raise ForeignDataError(
            f"The index {missing[0]!r} can't be made: the database has one of another name on the same label and "
            "property. Drop that one (SHOW INDEXES), or use another database (NEO4J_DATABASE)."
        )


def read_graph(properties: Mapping[str, Any]) -> Graph:
    """A graph from its node's properties. Raises SchemaVersionError and GraphNotFoundError as `find_graph`."""
    refuse_unusable(properties["namespace"], properties)
    return Graph(
        namespace=properties["namespace"],
        embedding_model=properties["embedding_model"],
        dimensions=properties["dimensions"],
        normalisation=properties["normalisation"],
        synonym_threshold=properties["synonym_threshold"],
        schema_version=properties["schema_version"],
        version=properties["version"],
        published=properties["published"],
        created=properties["created"].iso_format(),
        filterable=read_filterable(properties.get("filterable", ())),
    )


def read_filterable(declared: Iterable[str]) -> dict[str, FilterType]:
    """Names with types, as a graph keeps them: `name:type` each."""
    return check_declaration(dict(one.rsplit(":", 1) for one in declared))
