"""Batches into the graph: phrases first, then everything that is said about them, in a transaction of its own."""

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database, Row, Transaction, as_vectors
from hipporag_neo4j.errors import HippoRAGError, QueryError
from hipporag_neo4j.indexing.gather_batch import Batch, PassageRow
from hipporag_neo4j.schema import lock_graph

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Run = Callable[..., list[Row]]
Vectors = dict[str, NDArray[np.float32]]
"""Vectors by text."""


class _VectorsMissing(Exception):
    """Another writer removed what was there a moment ago, so its vector is needed after all."""


@dataclass(frozen=True, slots=True)
class _New:
    """What of a batch isn't in the graph yet: keys of phrases and of facts."""

    phrases: tuple[str, ...]
    facts: tuple[str, ...]


class GraphWriter:
    """Writes batches one behind the other; what a batch says is all there or not at all.

    A batch's new phrases go first: a phrase that nothing mentions is seen by no reader, and the end of a run deletes
    it. The rest follows in one transaction, in a thread, while the next batch is embedded and its phrases are written:
    most of the work is the server's, in its vector indexes, and one connection keeps one of its processors busy.
    A context manager; leaving it waits for the last batch.

    With `only_failed` a passage is written only where it still stands in the graph as one of the same content that
    could not be read; the others are `overtaken`.
    """

    def __init__(
        self, database: Database, *, namespace: str, run: str, embed: Embed, only_failed: bool = False
    ) -> None:
        self._database = database
        self._namespace = namespace
        self._run = run
        self._embed = embed
        self._only_failed = only_failed
        self.overtaken: list[PassageRow] = []
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._pending: tuple[Future[None], Batch, Vectors] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        try:
            self.wait()
        except HippoRAGError as second:
            if error is None:
                raise
            error.add_note(f"The batch before it wasn't written either: {second}")

    def write(self, batch: Batch) -> None:
        """Write a batch, embedding what the graph doesn't hold; returns when the batch before it is written.

        Passages that were there are replaced: what they said before is taken back in the same transaction.
        """
        new = _find_new(self._database.run, batch)
        texts = _texts(batch, new)
        before = self._pending[2] if self._pending else {}
        vectors = {text: before[text] for text in texts if text in before}
        self._embed_into(vectors, texts)
        self._write_phrases(batch, new, vectors)
        self.wait()
        self._pending = self._pool.submit(self._commit, batch, vectors), batch, vectors

    def _write_phrases(self, batch: Batch, new: _New, vectors: Vectors) -> None:
        """Phrases ahead of the rest, without the namespace's lock. The transaction that follows writes what is missing
        then, so that nothing depends on this one: where another run deletes one of them at this moment, it fails."""

        def write(tx: Transaction) -> None:
            if tx.run("indexing/hold_run", namespace=self._namespace, run=self._run):
                _merge_phrases(tx, batch, new, self._namespace, vectors)

        if new.phrases:
            with contextlib.suppress(QueryError):
                self._database.write("indexing/merge_phrases", write)

    def wait(self) -> None:
        """Wait until everything is written that was handed over."""
        if self._pending is None:
            return
        (future, batch, vectors), self._pending = self._pending, None
        try:
            future.result()
        except _VectorsMissing:
            self._embed_into(vectors, _texts(batch, _New(tuple(batch.phrases), tuple(batch.facts))))
            self._commit(batch, vectors)

    def _commit(self, batch: Batch, vectors: Vectors) -> None:
        def write(tx: Transaction) -> Batch:
            version = lock_graph(tx, self._namespace)["version"]
            there = tx.run("indexing/find_passages", keys=[row.key for row in batch.passages])
            current = batch.of(_still_failed(batch, there)) if self._only_failed else batch
            if current.passages:
                _write(tx, current, there, self._namespace, self._run, vectors, version)
            return current

        written = {row.key for row in self._database.write("indexing/write_batch", write).passages}
        self.overtaken += [row for row in batch.passages if row.key not in written]

    def _embed_into(self, vectors: Vectors, texts: Sequence[str]) -> None:
        missing = [text for text in texts if text not in vectors]
        if missing:
            vectors.update(zip(missing, self._embed(missing), strict=True))


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


def _still_failed(batch: Batch, there: Sequence[Row]) -> set[str]:
    content = {row.key: row.properties["content_hash"] for row in batch.passages}
    return {row["key"] for row in there if row["status"] == "failed" and row["content_hash"] == content[row["key"]]}


def _write(
    tx: Transaction,
    batch: Batch,
    there: Sequence[Row],
    namespace: str,
    run: str,
    vectors: Vectors,
    version: int,
) -> None:
    now = datetime.now(UTC)
    if there:
        keys = [row["key"] for row in there]
        tx.run("indexing/retract_facts", keys=keys)
        tx.run("indexing/retract_mentions", keys=keys)
    new = _find_new(tx.run, batch)
    if any(text not in vectors for text in _texts(batch, new)):
        raise _VectorsMissing
    _write_passages(tx, batch, vectors, now, version)
    _merge_phrases(tx, batch, new, namespace, vectors)
    _merge_facts(tx, batch, new, namespace, run, vectors, now)
    tx.run(
        "indexing/merge_mentions",
        rows=[
            {"passage": row.key, "phrases": [[key, count] for key, count in row.phrases.items()]}
            for row in batch.passages
        ],
    )


def _write_passages(tx: Transaction, batch: Batch, vectors: Vectors, now: datetime, version: int) -> None:
    embeddings = _sent([row.text for row in batch.passages], vectors)
    tx.run(
        "indexing/write_passages",
        rows=[
            {"key": row.key, "properties": row.properties, "embedding": embedding}
            for row, embedding in zip(batch.passages, embeddings, strict=True)
        ],
        now=now,
        version=version,
    )


def _merge_phrases(tx: Transaction, batch: Batch, new: _New, namespace: str, vectors: Vectors) -> None:
    keys = sorted(new.phrases)  # in one order, so that two writers don't lock each other out
    embeddings = _sent([batch.phrases[key] for key in keys], vectors)
    rows = [
        {"key": key, "name": batch.phrases[key], "embedding": embedding}
        for key, embedding in zip(keys, embeddings, strict=True)
    ]
    if rows:
        tx.run("indexing/merge_phrases", namespace=namespace, rows=rows)


def _merge_facts(
    tx: Transaction, batch: Batch, new: _New, namespace: str, run: str, vectors: Vectors, now: datetime
) -> None:
    embeddings = _sent([batch.facts[key].text for key in new.facts], vectors)
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


def _sent(texts: Sequence[str], vectors: Vectors) -> list[object]:
    """The texts' vectors as they are sent."""
    return list(as_vectors(np.stack([vectors[text] for text in texts]))) if texts else []
