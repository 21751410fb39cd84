"""Pruning: what the source doesn't hold any more goes."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.take_back import take_back


@dataclass(slots=True)
class Prune:
    """Delete the passages that the source doesn't hold any more, when all of it is written.

    `left_out` says how many passages of the source could not be used: with any, nothing is deleted. An empty source is
    refused unless `force` is set.
    """

    left_out: Callable[[], int]
    force: bool = False


def delete_rest(database: Database, namespace: str, given: Collection[str], prune: Prune, began: int) -> int:
    """Delete the passages that are not `given` (keys of what the source holds); how many they were.

    Those that other clients have written since the graph's version was `began` stay: they may be newer than the source.
    Nothing is deleted where a passage of the source could not be used. Raises InputError for an empty source.
    """
    if prune.left_out():
        return 0
    if not given and not prune.force:
        raise InputError(
            "The source holds no passage, and pruning would delete the whole graph. Nothing was deleted. Check the "
            "source; if it is meant to be empty, add --force (force=True)."
        )
    rows = database.stream("indexing/list_passages", namespace=namespace)
    gone = [row["key"] for row in rows if row["key"] not in given]
    return take_back(database, namespace, gone, until=began).passages
