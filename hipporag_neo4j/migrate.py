"""Bringing a graph that an older version made to this version's schema, one named step after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import SchemaVersionError
from hipporag_neo4j.schema import SCHEMA_VERSION, graph_not_found, refuse_dropping, refuse_newer

Apply = Callable[[Database, str], None]
"""Changes the graph of a namespace; broken off, it is applied again, so it must be the same done twice."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from the schema version before to `version`; `does` says what changes, as a sentence."""

    version: int
    does: str
    apply: Apply


MIGRATIONS: tuple[Migration, ...] = ()
"""Every step there is, in order. Version 1 is the first one."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """A graph's schema version before, now, and the steps that led there; none where it was right already."""

    namespace: str
    before: int
    now: int
    steps: tuple[str, ...]


def migrate_graph(
    database: Database, namespace: str, migrations: Sequence[Migration] = MIGRATIONS, *, to: int = SCHEMA_VERSION
) -> Migrated:
    """Apply what a namespace's graph lacks. Each step counts as soon as it is done, and what broke off goes on.

    Raises GraphNotFoundError where there is no graph or one that is being dropped, and SchemaVersionError for a newer
    one, or one that is older than every migration.
    """
    rows = database.run("schema/find_graph", namespace=namespace)
    if not rows:
        raise graph_not_found(namespace)
    graph = rows[0]["graph"]
    refuse_dropping(namespace, graph)
    before: int = graph["schema_version"]
    refuse_newer(namespace, before)
    steps = [step for step in migrations if before < step.version <= to]
    if [step.version for step in steps] != list(range(before + 1, to + 1)):
        raise SchemaVersionError(
            f"No migration leads from schema version {before} of the graph in namespace {namespace!r} to {to}. Index "
            "its passages anew into another namespace."
        )
    for step in steps:
        step.apply(database, namespace)
        database.run("schema/set_schema_version", namespace=namespace, before=step.version - 1, now=step.version)
    return Migrated(namespace, before, to, tuple(step.does for step in steps))
