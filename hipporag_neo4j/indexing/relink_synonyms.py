"""Another synonym threshold for a graph that is there: the synonyms that differ are written, nothing is embedded."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.errors import DatabaseError, InputError
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.indexing.link_synonyms import Pairs, Phrases, Progress, find_pairs, read_phrases, synonym_rows
from hipporag_neo4j.schema import Graph, lock_graph, open_graph

_TRIES = 3
_ROWS = 5000


@dataclass(frozen=True, slots=True)
class Relinked:
    """What another threshold changed, in pairs of phrases.

    `published` is false where an indexing run is under way or was cut off: readers see the change when a run ends.
    """

    before: float
    threshold: float
    added: int
    removed: int
    pairs: int
    published: bool


class _GraphChanged(Exception):
    """Somebody wrote to the graph after the pairs were found."""


def relink_synonyms(database: Database, namespace: str, threshold: float, progress: Progress | None = None) -> Relinked:
    """Join the phrases whose cosine is at least `threshold`, part all others, and have later runs do the same.

    One transaction, which also publishes: readers see the old synonyms or the new ones, and an interruption leaves the
    old ones. The result is the graph that a run with this threshold would have made; phrases that a run left unlinked
    are linked. Memory as `link_synonyms`; the server holds the whole change until it is committed.

    Raises InputError for a threshold that is none, GraphNotFoundError, TooManySynonymsError before anything is written,
    and DatabaseError when others keep writing to the graph.
    """
    check_threshold(threshold)
    for _ in range(_TRIES):
        graph = open_graph(database, namespace)
        phrases = read_phrases(database, graph)
        pairs = find_pairs(
            phrases.vectors, new=len(phrases.keys), short=phrases.short, threshold=threshold, progress=progress
        )
        removed, added = find_differences(database, namespace, phrases, pairs)
        try:
            _rewrite(database, graph, threshold, phrases, removed, added)
        except _GraphChanged:
            continue
        return Relinked(
            before=graph.synonym_threshold,
            threshold=threshold,
            added=len(added),
            removed=len(removed),
            pairs=len(pairs),
            published=graph.version == graph.published,
        )
    raise DatabaseError(
        f"The graph in namespace {namespace!r} was written to while its synonyms were looked for, {_TRIES} times. "
        "Nothing was changed. Wait until no indexing runs, then run the same command again."
    )


def check_threshold(threshold: float) -> None:
    """Raise InputError unless the threshold is more than 0 and at most 1."""
    if not 0 < threshold <= 1:
        raise InputError(f"{threshold:g} is no threshold for a cosine: take more than 0 and at most 1, such as 0.8.")


def find_differences(
    database: Database, namespace: str, phrases: Phrases, pairs: Pairs
) -> tuple[list[dict[str, str]], Pairs]:
    """The stored pairs that are not among `pairs`, by their keys, and those of `pairs` that are not stored."""
    place = {key: number for number, key in enumerate(phrases.keys)}
    rows = [
        (place[row["source"]], place[row["target"]])
        for row in database.stream("indexing/read_synonyms", namespace=namespace)
        if row["source"] in place and row["target"] in place  # else the version has changed too
    ]
    stored = np.sort(np.array(rows, dtype=np.int64).reshape(len(rows), 2), axis=1)
    size = max(len(phrases.keys), 1)
    codes, wanted = stored[:, 0] * size + stored[:, 1], pairs.first * size + pairs.second
    removed = stored[~np.isin(codes, wanted)]
    new = ~np.isin(wanted, codes)
    return (
        [_by_key(phrases, int(one), int(other)) for one, other in removed],
        Pairs(pairs.first[new], pairs.second[new], pairs.score[new]),
    )


def _by_key(phrases: Phrases, one: int, other: int) -> dict[str, str]:
    source, target = sorted((phrases.keys[one], phrases.keys[other]))
    return {"source": source, "target": target}


def _rewrite(
    database: Database,
    graph: Graph,
    threshold: float,
    phrases: Phrases,
    removed: Sequence[dict[str, str]],
    added: Pairs,
) -> None:
    """All in one transaction, if the graph is still as it was read; then published unless a run has yet to do that."""
    unlinked = phrases.linked(0, phrases.new)
    if threshold == graph.synonym_threshold and not (removed or len(added) or unlinked):
        return
    namespace = graph.namespace
    rows = synonym_rows(phrases, added)

    def rewrite(tx: Transaction) -> None:
        if lock_graph(tx, namespace)["version"] != graph.version + 1:
            raise _GraphChanged
        tx.run("indexing/set_synonym_threshold", namespace=namespace, threshold=threshold)
        for some in batches(removed, _ROWS):
            tx.run("indexing/delete_synonyms", rows=some)
        for pairs in batches(rows, _ROWS):
            tx.run("indexing/merge_synonyms", rows=pairs)
        for some in batches(unlinked, _ROWS):
            tx.run("indexing/mark_linked", rows=some)

    database.write("indexing/relink_synonyms", rewrite, limited=False)
    if graph.version == graph.published:
        database.run("indexing/publish_version", namespace=namespace)
