"""Examines everything the product stands on, finding by finding. Writes nothing and prints nothing."""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j import schema
from hipporag_neo4j.access import without_password
from hipporag_neo4j.answers import EntitiesAnswer
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database, as_vectors
from hipporag_neo4j.doctor.finding import Finding
from hipporag_neo4j.doctor.judge_versions import judge_neo4j, judge_pair
from hipporag_neo4j.domain import Message
from hipporag_neo4j.embedding import Embedder, make_embedder
from hipporag_neo4j.errors import HippoRAGError
from hipporag_neo4j.filterable import find_unindexed
from hipporag_neo4j.llm import make_language_model
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.status import Status, read_status

_TRIANGLE = (0.5, 0.3, 0.2)
"""Normalised PageRank of the triangle in cypher/doctor, by hand: p = (1 - d) s + d (sum of the others) / 2."""
_CLOSE = 1e-6
_SHARE_OF_HEAP = 0.8


@dataclass(slots=True)
class _Seen:
    """What earlier checks learnt and later ones need."""

    embedder: Embedder | None = None
    vector: NDArray[np.float32] | None = None
    gds: bool = False
    indexes: bool = False
    graph: schema.Graph | None = None
    status: Status | None = None


_Check = Callable[[Settings, Database, _Seen], Finding]


def examine(settings: Settings) -> Iterator[Finding]:
    """The findings, one by one as they are made; never raises HippoRAGError, whatever is missing.

    Sends one text to the embedding model and, where a language model is set, one short question to it.
    """
    try:
        database = open_database(settings)
    except HippoRAGError as error:
        yield Finding("connection", "problem", str(error))
        yield from _not_checked((*_SERVER_CHECKS, *_GRAPH_CHECKS), "there is no connection")
        yield from _examine_models(settings, _Seen())
        return
    with closing(database):
        where = without_password(settings.neo4j_uri) if settings.neo4j_uri else "the local server"
        yield Finding("connection", "ok", f"Neo4j answers at {where}.")
        yield from _examine_connected(settings, database)


def _examine_connected(settings: Settings, database: Database) -> Iterator[Finding]:
    seen = _Seen()
    neo4j = _attempt("neo4j", lambda: _check_neo4j(database))
    yield neo4j
    if neo4j.level == "problem":
        yield from _not_checked((*_SERVER_CHECKS, *_GRAPH_CHECKS), "this Neo4j can't be used")
        yield from _examine_models(settings, seen)
        return
    for name, check in _SERVER_CHECKS:
        yield _attempt(name, partial(check, settings, database, seen))
    yield from _examine_models(settings, seen)
    for name, check in _GRAPH_CHECKS:
        yield _attempt(name, partial(check, settings, database, seen))


def _examine_models(settings: Settings, seen: _Seen) -> Iterator[Finding]:
    yield _attempt("embedding model", lambda: _check_embedding(settings, seen))
    yield _attempt("language model", lambda: _check_language_model(settings))


def _attempt(name: str, check: Callable[[], Finding]) -> Finding:
    """The check's finding; what it raises on purpose is a problem that says what to do."""
    try:
        return check()
    except HippoRAGError as error:
        return Finding(name, "problem", str(error))


def _not_checked(checks: Sequence[tuple[str, _Check]], why: str) -> Iterator[Finding]:
    yield from (Finding(name, "skipped", f"Not checked: {why}.") for name, _ in checks)


def _check_neo4j(database: Database) -> Finding:
    row = database.run("schema/show_server")[0]
    verdict = judge_neo4j(row["neo4j"])
    return Finding(verdict.check, verdict.level, f"{verdict.found} Edition: {row['edition']}.", verdict.advice)


def _check_gds(_: Settings, database: Database, seen: _Seen) -> Finding:
    row = database.run("schema/show_versions")[0]
    seen.gds = True
    return judge_pair(row["neo4j"], row["gds"])


def _check_walk(_: Settings, database: Database, seen: _Seen) -> Finding:
    name = "weighted walk"
    if not seen.gds:
        return Finding(name, "skipped", "Not checked: there is no Graph Data Science.")
    graph = f"hipporag-doctor.{uuid.uuid4().hex}"
    database.run("doctor/project_triangle", graph=graph)
    try:
        scores = [row["score"] for row in database.run("doctor/walk_triangle", graph=graph)]
    finally:
        database.run("projection/drop_projection", graph=graph)
    shares = [score / sum(scores) for score in scores]
    if max(abs(share - wanted) for share, wanted in zip(shares, _TRIANGLE, strict=True)) > _CLOSE:
        return Finding(
            name,
            "problem",
            f"PageRank ignores the weights of its source nodes: {shares} where {list(_TRIANGLE)} is right.",
            "Install the Graph Data Science of Neo4j's month, 2.26 or later.",
        )
    return Finding(name, "ok", "PageRank starts from weighted source nodes; a walk over three nodes is right.")


def _check_foreign_data(_: Settings, database: Database, __: _Seen) -> Finding:
    schema.refuse_foreign_data(database)
    return Finding("other data", "ok", "No data of others uses this product's properties.")


def _check_indexes(_: Settings, database: Database, seen: _Seen) -> Finding:
    rows = database.run("schema/show_indexes")
    if not rows:
        return Finding("indexes", "skipped", "None yet: the first index, import-openie or init makes them.")
    if failed := [row["name"] for row in rows if row["state"] == "FAILED"]:
        return Finding(
            "indexes",
            "problem",
            f"{', '.join(failed)} failed on the server.",
            "Look for the reason in the server's log, drop what failed (DROP INDEX name), then run: hipporag-neo4j "
            "init.",
        )
    schema.refuse_missing_indexes(database)
    if unindexed := find_unindexed(database):
        namespace, declared = unindexed
        return Finding(
            "indexes",
            "problem",
            f"The index that filtered questions search lacks what the namespace {namespace!r} declared: it is being "
            "made anew just now, was dropped, or an init --filterable was cut off.",
            "Look again in a moment; if it stays so, declare it again: hipporag-neo4j init --namespace "
            f'{namespace} --filterable "{declared}".',
        )
    if building := [f"{row['name']} ({row['progress']:.0f} %)" for row in rows if row["state"] != "ONLINE"]:
        return Finding("indexes", "warning", f"Still being built: {', '.join(building)}.", "Wait, then look again.")
    seen.indexes = True
    return Finding("indexes", "ok", f"All {len(rows)} are online.")


def _check_dimensions(_: Settings, database: Database, seen: _Seen) -> Finding:
    if not seen.indexes or seen.vector is None:
        missing = "no indexes to compare with" if seen.vector is not None else "the embedding model doesn't answer"
        return Finding("dimensions", "skipped", f"Not checked: {missing}.")
    schema.refuse_other_dimensions(database, len(seen.vector))
    return Finding("dimensions", "ok", f"Vector indexes and embedding model agree on {len(seen.vector)}.")


def _check_graph(settings: Settings, database: Database, seen: _Seen) -> Finding:
    name = "graph"
    seen.graph = schema.find_graph(database, settings.namespace)
    if seen.graph is None:
        return Finding(
            name,
            "skipped",
            f"The namespace {settings.namespace!r} holds no graph yet.",
            "Add passages: hipporag-neo4j index SOURCE, or import-openie FILE; another graph: --namespace.",
        )
    if seen.embedder is not None:
        schema.check_model(seen.graph, seen.embedder.name, None if seen.vector is None else len(seen.vector))
    schema.check_normalisation(seen.graph, settings.normalisation)
    seen.status = status = read_status(database, seen.graph)
    found = f"The namespace {settings.namespace!r} holds {status.passages:,} passages and {status.phrases:,} phrases."
    if seen.graph.filterable:
        found += f" Filterable: {', '.join(f'{declared}:{kind}' for declared, kind in seen.graph.filterable.items())}."
    failed = status.states.get("failed", 0)
    if status.interrupted or status.unlinked or failed:
        return Finding(
            name,
            "warning",
            f"{found} Unfinished: run cut off: {'yes' if status.interrupted else 'no'}; passages not read: {failed:,}; "
            f"phrases without a look for synonyms: {status.unlinked:,}.",
            "Unless a run is under way, run the same index or import-openie again: it goes on from there.",
        )
    return Finding(name, "ok", found)


def _check_search(settings: Settings, database: Database, seen: _Seen) -> Finding:
    name = "vector search"
    if not seen.indexes or seen.vector is None:
        return Finding(name, "skipped", "Not checked: it needs the indexes and the embedding model.")
    rows = database.run(
        "retrieval/find_passages_by_vector",
        namespace=settings.namespace,
        embedding=as_vectors(seen.vector[np.newaxis])[0],
        fetch=1,
        limit=1,
    )
    if not rows and seen.status is not None and seen.status.passages:
        return Finding(
            name,
            "problem",
            f"The index finds none of the {seen.status.passages:,} passages.",
            "Drop hipporag_passage_embedding (DROP INDEX), then run hipporag-neo4j init, which makes it again.",
        )
    return Finding(name, "ok", "SEARCH with a filter inside the index works.")


def _check_memory(_: Settings, database: Database, seen: _Seen) -> Finding:
    name = "memory"
    if not seen.gds or seen.status is None or not seen.status.phrases:
        return Finding(name, "skipped", "Not checked: there is no graph to project.")
    undirected = {kind: {"type": kind, "orientation": "UNDIRECTED"} for kind in ("RELATES", "SYNONYM")}
    with database.data_science() as gds:
        estimate = gds.graph.project.estimate("Phrase", undirected)
        info = gds.debug.sys_info()
    needed, free = estimate.bytes_max, info.available_heap_in_bytes
    if free is None:
        return Finding(name, "skipped", "Not checked: the server doesn't say how much heap it has left.")
    found = (
        f"A projection of all {estimate.node_count:,} phrases in the database takes at most {needed / 1e6:,.1f} MB; "
        f"the server's heap has {free / 1e6:,.0f} MB left."
    )
    if needed > _SHARE_OF_HEAP * free:
        return Finding(name, "warning", found, "Give the server more heap: server.memory.heap.max_size.")
    return Finding(name, "ok", found)


def _check_embedding(settings: Settings, seen: _Seen) -> Finding:
    begin = time.perf_counter()
    seen.embedder = make_embedder(settings)
    seen.vector = seen.embedder.embed(["Does anybody read this?"])[0]
    spent = time.perf_counter() - begin
    return Finding(
        "embedding model",
        "ok",
        f"{seen.embedder.name}: {len(seen.vector)} dimensions, first vector after {spent:.1f} s.",
    )


def _check_language_model(settings: Settings) -> Finding:
    name = "language model"
    if settings.llm_model is None:
        return Finding(
            name,
            "skipped",
            "None is set: indexing needs ready triples (import-openie), and questions --no-llm, --mode dense, or "
            "--mode hipporag1 with entities (--entity).",
            "To have one, set HIPPORAG_LLM_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL.",
        )
    model = make_language_model(settings)
    with closing(model):
        begin = time.perf_counter()
        question = 'Name the city in "Paris is large". Answer with JSON alone: {"named_entities": ["…"]}'
        model.answer([Message("user", question)], EntitiesAnswer)
        spent = time.perf_counter() - begin
    where = without_password(settings.openai_base_url) if settings.openai_base_url else "OpenAI"
    return Finding(name, "ok", f"{model.name} at {where} answers in a usable form, after {spent:.1f} s.")


_SERVER_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("graph data science", _check_gds),
    ("weighted walk", _check_walk),
    ("other data", _check_foreign_data),
    ("indexes", _check_indexes),
)
_GRAPH_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("dimensions", _check_dimensions),
    ("graph", _check_graph),
    ("vector search", _check_search),
    ("memory", _check_memory),
)
