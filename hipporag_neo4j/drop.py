"""Dropping a namespace's graph: all of it and nothing else, in batches; what broke off goes on when it is run again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.errors import InputError, UnsupportedServerError
from hipporag_neo4j.projection import projection_prefix
from hipporag_neo4j.schema import graph_not_found, list_graphs, refuse_newer, unless_deleted
from hipporag_neo4j.timing import Stages

_DELETED_AT_ONCE = 2000

Progress = Callable[[int, int], None]
"""Called with how many nodes are deleted, and of how many."""


@dataclass(frozen=True, slots=True)
class DropReport:
    """What a namespace held and is gone now; with `dry_run` what is there.

    `passages`, `phrases`, `facts`, `runs`, kept `answers` and `batches` were counted before anything was deleted;
    `batches_under_way` are those at the language model's endpoint, which go on there and cost.
    `nodes` are all that were deleted (0 in a dry run), the graph's own among them. `projections` were in memory.
    `graphs` are the namespaces that still hold one; `indexes` and `constraints` the names of those dropped with the
    last. `left_over`: there was no graph, only what clients wrote in the moments in which a drop ended.
    """

    namespace: str
    dry_run: bool = False
    left_over: bool = False
    passages: int = 0
    phrases: int = 0
    facts: int = 0
    runs: int = 0
    answers: int = 0
    batches: int = 0
    batches_under_way: int = 0
    projections: int = 0
    nodes: int = 0
    graphs: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    seconds: float = 0.0


def drop_graph(
    database: Database, namespace: str, *, schema: bool = False, dry_run: bool = False, progress: Progress | None = None
) -> DropReport:
    """Delete all that a namespace holds, its projections included; with `schema` also the indexes and constraints.

    First the graph is marked, so that nobody reads or writes half of it; its own node goes last. Relationships that
    others attached to its nodes go with these. Without a graph, runs, kept answers and batches are deleted that a drop
    left over. Raises GraphNotFoundError where there are none either, unless `schema` is wanted; SchemaVersionError for
    a graph of a newer version; and InputError for `schema` while other namespaces hold graphs, before anything is
    changed.
    """
    created = _find(database, namespace)
    there = created is not None
    report = _count(database, namespace) if there else _count_leftovers(database, namespace)
    if not there and not schema and not report.left_over:
        raise graph_not_found(namespace)
    others = tuple(graph.namespace for graph in list_graphs(database) if graph.namespace != namespace)
    if schema and others:
        raise InputError(
            f"The database holds other graphs, which need its indexes and constraints: {', '.join(others)}. Nothing "
            "was dropped. Leave --schema out (schema=True in Python), or drop those graphs before."
        )
    report = replace(report, dry_run=dry_run, graphs=others)
    if dry_run:
        return replace(report, graphs=(*others, namespace) if there else others)
    stages = Stages()
    with stages.time("drop"):
        if there:
            report = replace(
                report, nodes=_delete(database, namespace, created, progress or (lambda done, total: None))
            )
        elif report.left_over:
            report = replace(report, nodes=_delete_leftovers(database, namespace))
        if schema:
            constraints, indexes = _drop_schema(database)
            report = replace(report, constraints=constraints, indexes=indexes)
    return replace(report, seconds=stages.seconds()["total"])


def _find(database: Database, namespace: str) -> Any:
    """When the graph was made, as the database has it, None where there is none: an older one, and one whose drop broke
    off, can be dropped; a newer one can't."""
    rows = database.run("schema/find_graph", namespace=namespace)
    if not rows:
        return None
    graph = rows[0]["graph"]
    refuse_newer(namespace, graph["schema_version"])
    return graph["created"]


def _count(database: Database, namespace: str) -> DropReport:
    found = {row["what"]: row["found"] for row in database.run("drop/count_nodes", namespace=namespace)}
    found.pop("deleted", None)  # empty nodes of passages that are deleted already
    facts = database.run("status/count_facts", namespace=namespace)[0]["facts"]
    projections = len(_projections(database, namespace))
    return DropReport(
        namespace, facts=facts, projections=projections, batches_under_way=_under_way(database, namespace), **found
    )


def _count_leftovers(database: Database, namespace: str) -> DropReport:
    """What a namespace without a graph holds of this product's own; passages and phrases would be those of others."""
    rows = database.run("drop/count_nodes", namespace=namespace)
    found = {row["what"]: row["found"] for row in rows if row["what"] not in ("passages", "phrases")}
    left_over = any(found.values())
    found.pop("deleted", None)
    return DropReport(namespace, left_over=left_over, batches_under_way=_under_way(database, namespace), **found)


def _under_way(database: Database, namespace: str) -> int:
    batches: int = database.run("drop/count_batches_under_way", namespace=namespace)[0]["batches"]
    return batches


def _delete_leftovers(database: Database, namespace: str) -> int:
    """What `_count_leftovers` counts, a batch a transaction, unless a graph is made meanwhile; how many they were."""

    def delete_some(tx: Transaction) -> int:
        if not tx.run("drop/hold_namespace", namespace=namespace)[0]["held"]:
            return 0
        nodes: int = tx.run("drop/delete_leftovers", namespace=namespace, limit=_DELETED_AT_ONCE)[0]["nodes"]
        tx.run("drop/delete_graph", namespace=namespace)
        return nodes

    deleted = 0
    while nodes := unless_deleted(lambda: database.write("drop/delete_leftovers", delete_some)):
        deleted += nodes
    return deleted


def _delete(database: Database, namespace: str, created: Any, progress: Progress) -> int:
    """The namespace's nodes, a batch a transaction, each under the graph's lock; how many they were.

    Another client may finish it meanwhile, and the graph that was `created` then be followed by another one, which
    stays.
    """
    total = 1 + sum(row["found"] for row in database.run("drop/count_nodes", namespace=namespace))

    def delete_runs(tx: Transaction) -> tuple[int, bool]:
        # First: phrases that a run writes ahead are written under the lock of its node, and not where that is gone.
        return tx.run("drop/delete_runs", namespace=namespace)[0]["runs"], False

    def delete_some(tx: Transaction) -> tuple[int, bool]:
        nodes: int = tx.run("drop/delete_nodes", namespace=namespace, limit=_DELETED_AT_ONCE)[0]["nodes"]
        if nodes:
            return nodes, False
        return tx.run("drop/delete_graph", namespace=namespace)[0]["graphs"], True

    def under_lock(name: str, work: Callable[[Transaction], tuple[int, bool]]) -> tuple[int, bool]:
        """How many nodes `work` deleted, and whether the graph is gone."""

        def locked(tx: Transaction) -> tuple[int, bool]:
            marked = tx.run("drop/mark_graph", namespace=namespace, created=created)
            return work(tx) if marked else (0, True)

        return unless_deleted(lambda: database.write(name, locked)) or (0, True)

    under_lock("drop/mark_graph", lambda tx: (0, False))
    _drop_projections(database, namespace)
    deleted, finished = under_lock("drop/delete_runs", delete_runs)
    while not finished:
        nodes, finished = under_lock("drop/delete_nodes", delete_some)
        deleted += nodes
        progress(deleted, max(total, deleted))
    # Readers that looked before the mark may have made one while nodes were deleted; none can begin to any more.
    _drop_projections(database, namespace)
    return deleted


def _projections(database: Database, namespace: str) -> list[str]:
    try:
        rows = database.run("projection/list_projections", prefix=projection_prefix(namespace))
    except UnsupportedServerError:  # without Graph Data Science there are none
        return []
    return [row["graph"] for row in rows]


def _drop_projections(database: Database, namespace: str) -> None:
    for graph in _projections(database, namespace):
        database.run("projection/drop_projection", graph=graph)


def _drop_schema(database: Database) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Constraints with their own indexes, then the other indexes; the names of both."""
    constraints = tuple(row["name"] for row in database.run("drop/list_constraints"))
    for name in constraints:
        database.run("drop/drop_constraint", name=name)
    indexes = tuple(row["name"] for row in database.run("schema/show_indexes"))
    for name in indexes:
        database.run("drop/drop_index", name=name)
    return constraints, indexes
