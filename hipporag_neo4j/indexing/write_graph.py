"""A batch into the graph, in one transaction that is complete in itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database, Row, Transaction, as_vectors
from hipporag_neo4j.indexing.gather_batch import Batch

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Run = Callable[..., list[Row]]


class _VectorsMissing(Exception):
    """Another writer removed what was there a moment ago, so its vector is needed after all."""


@dataclass(frozen=True, slots=True)
class _New:
    """What of a batch isn't in the graph yet: keys of phrases and of facts."""

    phrases: tuple[str, ...]
    facts: tuple[str, ...]


def write_batch(database: Database, batch: Batch, *, namespace: str, run: str, embed: Embed) -> None:
    """Write passages, phrases, facts and mentions; embed only what the graph doesn't hold.

    Passages that were there are replaced: what they said before is taken back in the same transaction. Phrases left
    without a mention are for `delete_orphans`, later.
    """
    vectors: dict[str, NDArray[np.float32]] = {}
    new = _find_new(database.run, batch)
    while True:
        _embed_into(vectors, _texts(batch, new), embed)
        try:
            database.write("indexing/write_batch", lambda tx: _write(tx, batch, namespace, run, vectors))
        except _VectorsMissing:
            new = _New(tuple(batch.phrases), tuple(batch.facts))
        else:
            return


def _find_new(run: Run, batch: Batch) -> _New:
    phrases = {row["key"] for row in run("indexing/find_phrases", keys=list(batch.phrases))}
    facts = {row["key"] for row in run("indexing/find_facts", keys=list(batch.facts))}
    return _New(
        tuple(key for key in batch.phrases if key not in phrases),
        tuple(key for key in batch.facts if key not in facts),
    )


def _texts(batch: Batch, new: _New) -> list[str]:
    texts = [row.text for row in batch.passages]
    texts += [batch.phrases[key] for key in new.phrases]
    texts += [batch.facts[key].text for key in new.facts]
    return list(dict.fromkeys(texts))


def _embed_into(vectors: dict[str, NDArray[np.float32]], texts: Sequence[str], embed: Embed) -> None:
    missing = [text for text in texts if text not in vectors]
    if missing:
        vectors.update(zip(missing, embed(missing), strict=True))


def _write(tx: Transaction, batch: Batch, namespace: str, run: str, vectors: dict[str, NDArray[np.float32]]) -> None:
    now = datetime.now(UTC)
    tx.run("indexing/raise_version", namespace=namespace)
    there = [row["key"] for row in tx.run("indexing/find_passages", keys=[row.key for row in batch.passages])]
    if there:
        tx.run("indexing/retract_facts", keys=there)
        tx.run("indexing/retract_mentions", keys=there)
    new = _find_new(tx.run, batch)
    if any(text not in vectors for text in _texts(batch, new)):
        raise _VectorsMissing

    def vectors_of(texts: Sequence[str]) -> "list[object]":
        return list(as_vectors(np.stack([vectors[text] for text in texts]))) if texts else []

    embeddings = vectors_of([row.text for row in batch.passages])
    tx.run(
        "indexing/write_passages",
        rows=[
            {"key": row.key, "properties": row.properties, "embedding": embedding}
            for row, embedding in zip(batch.passages, embeddings, strict=True)
        ],
        now=now,
    )
    embeddings = vectors_of([batch.phrases[key] for key in new.phrases])
    tx.run(
        "indexing/merge_phrases",
        namespace=namespace,
        rows=[
            {"key": key, "name": batch.phrases[key], "embedding": embedding}
            for key, embedding in zip(new.phrases, embeddings, strict=True)
        ],
    )
    embeddings = vectors_of([batch.facts[key].text for key in new.facts])
    tx.run(
        "indexing/merge_facts",
        namespace=namespace,
        rows=[
            {
                "key": key,
                "subject": batch.facts[key].subject,
                "object": batch.facts[key].object,
                "predicate": batch.facts[key].predicate,
                "passages": batch.facts[key].passages,
                "embedding": embedding,
            }
            for key, embedding in zip(new.facts, embeddings, strict=True)
        ],
        run=run,
        now=now,
    )
    added = frozenset(new.facts)
    tx.run(
        "indexing/add_passages_to_facts",
        rows=[{"key": key, "passages": fact.passages} for key, fact in batch.facts.items() if key not in added],
    )
    tx.run(
        "indexing/merge_mentions",
        rows=[
            {"passage": row.key, "phrases": [[key, count] for key, count in row.phrases.items()]}
            for row in batch.passages
        ],
    )
