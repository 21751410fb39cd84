"""What readers see is what was published; what nothing needs any more is deleted only after that."""

from dataclasses import dataclass

from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.schema import lock_graph

_DELETED_AT_ONCE = 5000
_INDEX_WAIT = 3600


@dataclass(frozen=True, slots=True)
class LeftOver:
    """What is to be deleted when it is published: empty nodes of deleted passages, phrases that nothing mentions."""

    passages: int
    phrases: int


def left_over(database: Database, namespace: str) -> LeftOver:
    """How much a run would delete at its end, or one that was cut off has not deleted."""
    return LeftOver(
        database.run("indexing/count_deleted", namespace=namespace)[0]["passages"],
        database.run("indexing/count_orphans", namespace=namespace)[0]["phrases"],
    )


def publish(database: Database, namespace: str) -> int:
    """Show readers what was written; then delete what was marked, and phrases that nothing mentions any more.

    Readers may walk over a projection of the version before until they see the new one, and Neo4j gives the ids of
    deleted nodes to new ones. A version is published by a transaction of its own: it takes the lock when the one that
    made the version is applied whole, so that nobody projects half of it. Returns how many phrases were deleted.
    """
    database.run("indexing/publish_version", namespace=namespace)
    left = left_over(database, namespace)
    if left.passages:
        _delete(database, namespace, "indexing/delete_marked", "passages")
    phrases = 0
    if left.phrases:
        phrases = _delete(database, namespace, "indexing/delete_orphans", "phrases")
    database.run("schema/await_indexes", seconds=_INDEX_WAIT)
    return phrases


def _delete(database: Database, namespace: str, statement: str, what: str) -> int:
    """Some at a time, each time as a version of its own that is published at once; how many they were."""

    def delete(tx: Transaction) -> int:
        lock_graph(tx, namespace)
        deleted: int = tx.run(statement, namespace=namespace, limit=_DELETED_AT_ONCE)[0][what]
        return deleted

    total = 0
    while True:
        deleted = database.write(statement, delete)
        database.run("indexing/publish_version", namespace=namespace)
        total += deleted
        if deleted < _DELETED_AT_ONCE:
            return total
