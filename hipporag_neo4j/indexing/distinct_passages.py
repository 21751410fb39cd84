"""Each passage once: repeats are skipped and counted, two texts with one id are an error."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import OnProblem, content_hash, passage_id, report

PassageT = TypeVar("PassageT", Passage, ExtractedPassage)

_DIGEST_SIZE = 16


class DistinctPassages(Generic[PassageT]):
    """Iterates over checked passages, leaving out those that came before with the same id and content.

    `repeated` counts them. Keeps about 190 bytes a passage, whatever the length of its id and text. Raises InputError
    (or calls `on_problem` and leaves the later one out) where an id comes again with another title, text or metadata.
    """

    def __init__(self, passages: Iterable[PassageT], on_problem: OnProblem | None = None) -> None:
        self.repeated = 0
        self._passages: Iterable[PassageT] = passages
        self._on_problem = on_problem
        self._seen: dict[bytes, bytes] = {}

    def __iter__(self) -> Iterator[PassageT]:
        for number, item in enumerate(self._passages, start=1):
            passage = item.passage if isinstance(item, ExtractedPassage) else item
            key = _digest(passage_id(passage))
            content = _digest(content_hash(passage))
            before = self._seen.setdefault(key, content + number.to_bytes(8, "big"))
            first = int.from_bytes(before[_DIGEST_SIZE:], "big")
            if first == number:
                yield item
            elif before[:_DIGEST_SIZE] == content:
                self.repeated += 1
            else:
                report(_two_texts(passage, first, number), self._on_problem)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_SIZE).digest()


def _two_texts(passage: Passage, first: int, second: int) -> InputError:
    begin = passage.text[:60]
    return InputError(
        f"Passages {first} and {second}, in the order they were read, have the same id {passage_id(passage)!r} but "
        f"another title, text or metadata; the second begins {begin!r}. Give each its own id, or leave one out."
    )
