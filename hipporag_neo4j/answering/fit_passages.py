"""Which passages fit into what a model may be shown, and how much of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.text import passage_text

LEAST = 500
"""Characters of a passage below which it isn't worth showing; the last passages are left out instead."""
_LONGEST_WORD = 40
_CUT = " […]"


@dataclass(frozen=True, slots=True)
class Fitted:
    """Texts to show, in the order of `read`; `shortened` and `left_out` as in AnswerResult."""

    texts: tuple[str, ...]
    read: tuple[RankedPassage, ...]
    shortened: Mapping[str, int]
    left_out: tuple[RankedPassage, ...]


def fit_passages(passages: Sequence[RankedPassage], characters: int) -> Fitted:
    """The first passages, with their titles, in at most so many characters.

    Long ones are shortened at their ends, to the same length, so that short ones stay whole; where that would leave
    less than LEAST characters of each, the last ones are left out.
    """
    texts = [passage_text(passage.title, passage.text) for passage in passages]
    lengths = [len(text) for text in texts]
    kept = len(texts)
    while kept > 1 and sum(min(length, LEAST) for length in lengths[:kept]) > characters:
        kept -= 1
    most = _share(lengths[:kept], characters)
    shown = [text if len(text) <= most else _cut(text, most) for text in texts[:kept]]
    return Fitted(
        texts=tuple(shown),
        read=tuple(passages[:kept]),
        shortened={
            passage.id: len(text) - len(short.removesuffix(_CUT))
            for passage, text, short in zip(passages, texts, shown, strict=False)
            if short is not text
        },
        left_out=tuple(passages[kept:]),
    )


def _share(lengths: Sequence[int], characters: int) -> int:
    """The length to which texts are cut so that together they hold at most so many characters."""
    left, most = characters, characters
    for position, length in enumerate(sorted(lengths)):
        most = left // (len(lengths) - position)
        if length > most:
            return most
        left -= length
    return max([most, *lengths])


def _cut(text: str, most: int) -> str:
    """The beginning of a text, with a mark at its end, cut between words where there are any."""
    room = max(most - len(_CUT), 1)
    begin = text[:room]
    space = begin.rfind(" ", max(0, room - _LONGEST_WORD))
    return (begin[:space] if space > 0 else begin).rstrip() + _CUT
