"""Synonyms: every pair of phrases whose cosine reaches the threshold, found exactly, in blocks."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database, Transaction, as_matrix
from hipporag_neo4j.errors import TooManySynonymsError
from hipporag_neo4j.schema import Graph, lock_graph, open_graph
from hipporag_neo4j.text import is_short

_BLOCK_ROWS = 1024
_BLOCK_COLUMNS = 8192
_WRITE_ROWS = 5000
_READ_ROWS = 200
_READ_BLOCKS = 10
_LEAST_ROOM = 1000
_SANE_PAIRS_PER_PHRASE = 20
_ALWAYS_SANE = 1000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Synonym pairs as three arrays of one length: two positions, and their cosine."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    score: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.score)


def link_synonyms(database: Database, graph: Graph, progress: Progress | None = None) -> int:
    """Join the phrases that are new since the last time to all near ones; returns how many pairs were written.

    Memory: one vector per phrase of the namespace (4 bytes x dimensions), key and name of each, the pairs found, and a
    block of 1,024 x 8,192 cosines (50 MB with what is made from it). Where the graph was given another threshold
    meanwhile, that one counts. Raises TooManySynonymsError, before anything is written, when it joins too many.
    """
    if not database.run("indexing/count_unlinked", namespace=graph.namespace)[0]["phrases"]:
        return 0
    phrases = read_phrases(database, graph)
    pairs = find_pairs(
        phrases.vectors,
        new=phrases.new,
        short=phrases.short,
        threshold=graph.synonym_threshold,
        progress=progress,
    )
    try:
        _write_pairs(database, graph, phrases, pairs)
    except _ThresholdChanged:
        return link_synonyms(database, open_graph(database, graph.namespace), progress)
    return len(pairs)


class _ThresholdChanged(Exception):
    """The graph has another synonym threshold than the one that the pairs were found with."""


def find_pairs(
    vectors: NDArray[np.float32],
    *,
    new: int,
    short: NDArray[np.bool_],
    threshold: float,
    progress: Progress | None = None,
) -> Pairs:
    """All pairs of which the first is among the `new` leading vectors and whose cosine is at least `threshold`.

    `vectors` has shape (phrases, dimensions), rows of any length but zero; they are scaled to length 1 in place. A pair
    of two short phrases doesn't count: a short phrase looks for no synonyms but may be found. Each unordered pair is
    given once. Raises TooManySynonymsError when more pairs are found than a sane threshold gives.
    """
    unit = vectors
    for top in range(0, len(unit), _BLOCK_ROWS):
        unit[top : top + _BLOCK_ROWS] /= np.linalg.norm(unit[top : top + _BLOCK_ROWS], axis=1, keepdims=True)
    bound = max(_ALWAYS_SANE, _SANE_PAIRS_PER_PHRASE * len(unit))
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]] = []
    total = 0
    for top in range(0, new, _BLOCK_ROWS):
        bottom = min(top + _BLOCK_ROWS, new)
        for left in range(top, len(unit), _BLOCK_COLUMNS):
            cosines = unit[top:bottom] @ unit[left : left + _BLOCK_COLUMNS].T
            rows, columns = np.divmod(np.flatnonzero(cosines >= threshold), cosines.shape[1])
            first, second = rows + top, columns + left
            kept = (first < second) & ~(short[first] & short[second])
            found.append((first[kept], second[kept], cosines[rows, columns][kept]))
            total += int(kept.sum())
            if total > bound:
                raise _too_many(total, len(unit), threshold)
        if progress:
            progress(bottom, new)
    if not found:
        empty = np.empty(0, dtype=np.int64)
        return Pairs(empty, empty, np.empty(0, dtype=np.float32))
    first, second, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Pairs(first, second, score)


def _too_many(pairs: int, phrases: int, threshold: float) -> TooManySynonymsError:
    return TooManySynonymsError(
        f"At the synonym threshold {threshold:g} at least {pairs} pairs of {phrases} phrases would be joined; a usable "
        "threshold gives a few a phrase. Nothing was joined. The threshold is a property of the embedding model (0.8 "
        "suits all-MiniLM-L6-v2, e5 models need about 0.95): `hipporag-neo4j tune-synonyms` shows what each one would "
        "join, and `hipporag-neo4j tune-synonyms --apply COSINE` gives the graph another one."
    )


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases of a namespace, the `new` ones first: those whose synonyms were not looked for yet.

    `marks` of the new ones tell whether a phrase is still the one that was read.
    """

    keys: Sequence[str]
    names: Sequence[str]
    vectors: NDArray[np.float32]
    new: int
    marks: Sequence[str] = ()

    @property
    def short(self) -> NDArray[np.bool_]:
        """Which of them are too short to look for synonyms."""
        return np.array([is_short(name) for name in self.names], dtype=bool)

    def linked(self, begin: int, end: int) -> list[dict[str, str]]:
        """A range of the new ones as `mark_linked` takes them."""
        return [
            {"key": key, "unlinked": mark}
            for key, mark in zip(self.keys[begin:end], self.marks[begin:end], strict=True)
        ]


def read_phrases(database: Database, graph: Graph) -> Phrases:
    """All phrases with the vectors that the graph holds; nothing is embedded.

    Vectors go straight to their place: new ones from the front, the others from the back, each held once. There is room
    for an eighth more than were counted, since other runs may add some meanwhile; where they add more, all are read
    again.
    """
    while True:
        counted = database.run("indexing/count_phrases", namespace=graph.namespace)[0]["phrases"]
        phrases = _read_phrases(database, graph, counted, counted + counted // 8 + _LEAST_ROOM)
        if phrases is not None:
            return phrases


def _read_phrases(database: Database, graph: Graph, counted: int, most: int) -> Phrases | None:
    """All phrases, where they are `most` at the most."""
    vectors = np.empty((most, graph.dimensions), dtype=np.float32)  # takes no memory where nothing is written
    keys, names = [""] * most, [""] * most
    front, back = 0, most
    marks: list[str] = []
    blocks = database.stream(
        "indexing/read_phrase_blocks",
        namespace=graph.namespace,
        dimensions=graph.dimensions,
        digits=_digits(counted),
        batch=_READ_BLOCKS,
    )
    with closing(blocks):
        for block in blocks:
            some = [phrase for phrase in block["phrases"] if phrase[-1] is not None]
            if len(some) > back - front:
                return None
            for (key, name, unlinked, _), vector in zip(
                some, as_matrix([phrase[-1] for phrase in some], graph.dimensions), strict=True
            ):
                if unlinked:
                    place, front = front, front + 1
                    marks.append(unlinked)
                else:
                    place = back = back - 1
                keys[place], names[place], vectors[place] = key, name, vector
    del keys[front:back], names[front:back]
    return Phrases(keys, names, _without_rows(vectors, front, back), front, marks)


def _without_rows(vectors: NDArray[np.float32], begin: int, end: int) -> NDArray[np.float32]:
    """A matrix without a range of its rows: those behind move up, a block at a time, so that no other is needed."""
    for top in range(end, len(vectors), _BLOCK_ROWS):
        some = vectors[top : top + _BLOCK_ROWS]
        place = top - end + begin
        vectors[place : place + len(some)] = some
    return vectors[: len(vectors) - (end - begin)]


def _digits(phrases: int) -> int:
    """How many hexadecimal digits of the keys part so many phrases into blocks of about _READ_ROWS."""
    return max(0, round(math.log(max(phrases, 1) / _READ_ROWS, 16)))


def synonym_rows(phrases: Phrases, pairs: Pairs) -> list[dict[str, object]]:
    """Pairs as `merge_synonyms` takes them: from the smaller key to the larger."""
    rows: list[dict[str, object]] = []
    for one, other, cosine in zip(pairs.first, pairs.second, pairs.score, strict=True):
        source, target = sorted((phrases.keys[one], phrases.keys[other]))
        if source == target:  # another run made it again while all were read, so that it was read twice
            continue
        rows.append({"source": source, "target": target, "score": min(1.0, float(cosine))})
    return rows


def _write_pairs(database: Database, graph: Graph, phrases: Phrases, pairs: Pairs) -> None:
    """Pairs in batches by their first phrase; a phrase counts as linked only together with all its pairs."""
    order = np.argsort(pairs.first, kind="stable")
    first, second, score = pairs.first[order], pairs.second[order], pairs.score[order]
    for begin, end in _phrase_ranges(first, phrases.new):
        low, high = np.searchsorted(first, (begin, end))
        rows = synonym_rows(phrases, Pairs(first[low:high], second[low:high], score[low:high]))
        linked = phrases.linked(begin, end)

        def write(tx: Transaction, rows: list[dict[str, object]] = rows, linked: list[dict[str, str]] = linked) -> None:
            if lock_graph(tx, graph.namespace)["synonym_threshold"] != graph.synonym_threshold:
                raise _ThresholdChanged
            tx.run("indexing/merge_synonyms", rows=rows)
            tx.run("indexing/mark_linked", rows=linked)

        database.write("indexing/link_synonyms", write)


def _phrase_ranges(first: NDArray[np.int64], new: int) -> Iterator[tuple[int, int]]:
    """Ranges of new phrases that hold at most about _WRITE_ROWS pairs and phrases each."""
    begin = 0
    while begin < new:
        low = np.searchsorted(first, begin)
        full = int(first[low + _WRITE_ROWS]) if low + _WRITE_ROWS < len(first) else new
        end = min(max(full, begin + 1), begin + _WRITE_ROWS, new)
        yield begin, end
        begin = end
