"""How passages are put together on their way into the graph."""

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.timing import Stages

ItemT = TypeVar("ItemT")


def document_of(passage: IdentifiedPassage) -> str:
    """Id of the document a passage is a part of, or is."""
    return passage.extracted.passage.document or passage.id


def documents_in(passages: Iterable[IdentifiedPassage], size: int) -> Iterator[list[IdentifiedPassage]]:
    """Lists of at least `size` passages that hold documents as a whole.

    When the source breaks off, what it gave before is handed over first; Ctrl-C ends everything at once.
    """
    some: list[IdentifiedPassage] = []
    try:
        for _, parts in itertools.groupby(passages, key=document_of):
            for part in parts:
                some.append(part)
            if len(some) >= size:
                yield some
                some = []
    except Exception:
        if some:
            yield some
        raise
    if some:
        yield some


def batches(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """Lists of `size` items; when the source breaks off, what it gave before is handed over first: it may have cost."""
    source = iter(items)
    while True:
        some: list[ItemT] = []
        try:
            for item in itertools.islice(source, size):
                some.append(item)
        except BaseException:
            if some:
                yield some
            raise
        if not some:
            return
        yield some


def timed(items: Iterator[ItemT], stages: Stages) -> Iterator[ItemT]:
    """The items; waiting for them is the stage `read`."""
    while True:
        with stages.time("read"):
            item = next(items, None)
        if item is None:
            return
        yield item
