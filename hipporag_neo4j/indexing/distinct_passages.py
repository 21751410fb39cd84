"""Each passage once, in parts where it is long: repeats are skipped and counted, two texts with one id are an error."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import OnProblem, content_hash, passage_id, report

PassageT = TypeVar("PassageT", Passage, ExtractedPassage)

_DIGEST_SIZE = 16


class DistinctPassages(Generic[PassageT]):
    """Iterates over checked passages, leaving out those that came before with the same id and content.

    `split` gives the parts of a passage, by default itself alone; what follows holds for a passage with all its parts.
    `repeated` counts what was left out. Keeps about 190 bytes a passage and part, whatever the length of its id and
    text. Raises InputError (or calls `on_problem` and leaves the later one out) where an id, or that of a part, comes
    again with another title, text or metadata.
    """

    def __init__(
        self,
        passages: Iterable[PassageT],
        on_problem: OnProblem | None = None,
        split: Callable[[PassageT], Sequence[PassageT]] = lambda passage: (passage,),
    ) -> None:
        self.repeated = 0
        self._passages: Iterable[PassageT] = passages
        self._on_problem = on_problem
        self._split: Callable[[PassageT], Sequence[PassageT]] = split
        self._seen: dict[bytes, bytes] = {}

    def __iter__(self) -> Iterator[PassageT]:
        for number, item in enumerate(self._passages, start=1):
            parts: Sequence[PassageT] = self._split(item)
            claimed: list[PassageT] = [item]
            if len(parts) > 1:
                claimed.extend(parts)
            contents = [(_digest(passage_id(_plain(one))), _digest(content_hash(_plain(one)))) for one in claimed]
            seen = [self._seen.get(key) for key, _ in contents]
            if not any(seen):
                self._seen.update({key: content + number.to_bytes(8, "big") for key, content in contents})
                yield from parts
                continue
            differing = [
                (_plain(one), before)
                for one, before, (_, content) in zip(claimed, seen, contents, strict=True)
                if before is not None and before[:_DIGEST_SIZE] != content
            ]
            if not differing:
                self.repeated += len(parts)
                continue
            one, before = differing[0]
            first = int.from_bytes(before[_DIGEST_SIZE:], "big")
            report(_two_texts(one, first, number, is_part=one is not _plain(item)), self._on_problem)


def _plain(item: Passage | ExtractedPassage) -> Passage:
    return item.passage if isinstance(item, ExtractedPassage) else item


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_SIZE).digest()


def _two_texts(passage: Passage, first: int, second: int, *, is_part: bool) -> InputError:
    id_ = passage_id(passage)
    if is_part:
        return InputError(
            f"Passage {second}, in the order they were read, is long, and its part {passage.part} would have the id "
            f"{id_!r}, which passage {first} has. None of its parts is taken. Give one of the two another id."
        )
    hint = " Parts of a long text have such ids." if re.search(r"#\d+$", id_) else ""
    return InputError(
        f"Passages {first} and {second}, in the order they were read, have the same id {id_!r} but another title, text "
        f"or metadata; the second begins {passage.text[:60]!r}.{hint} Give each its own id, or leave one out."
    )
