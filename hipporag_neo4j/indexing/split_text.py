"""Long texts in parts, cut between sentences.

Sentences are found by Wikimedia's sentencex, which covers the sentence marks of many scripts; of abbreviations it is
given the English ones, so in other languages a part may end after one. The library is given a window of the text with
every kind of space made plain, which keeps its positions true and its work linear.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sentencex import segment

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.check_passages import passage_id

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
_SPACES = re.compile(r"\s+")
_NOT_PLAIN = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_REACHES = (1000, 10_000)
"""Sentence ends are looked for so many characters around the wanted end; further away only if there is none."""
_BEYOND = 60
"""Characters shown after it, since a sentence ends where another begins."""
_LONGEST_CLUSTER = 32


def split_passage(passage: Passage, size: int) -> tuple[Passage, ...]:
    """The passage itself if its text has at most `size` characters, else its parts, in order.

    A part ends at a paragraph break where one leaves it at least half full, else at the end of a sentence, of a line,
    of a word, or, in a text without any, before any character. The last two parts are about the same size. Nothing is
    lost but space between parts. Part n (from 1) has the id `id#n`, the passage's id as `document`, its title and
    metadata. The passage has been checked.
    """
    if len(passage.text) <= size:
        return (passage,)
    document = passage_id(passage)
    return tuple(
        replace(passage, text=text, id=f"{document}#{n}", document=document, part=n)
        for n, text in enumerate(split_text(passage.text, size), start=1)
    )


def split_text(text: str, size: int) -> Iterator[str]:
    """Parts of a text, each of 1 to `size` characters, without space at either end."""
    if size < 1:
        raise ValueError(f"size is {size}; a part holds at least 1 character")
    end = len(text.rstrip())
    begin = len(text) - len(text.lstrip())
    while begin < end:
        left = end - begin
        cut = end if left <= size else begin + _cut(text[begin : begin + min(left, size + _BEYOND)], size, left)
        yield text[begin:cut].rstrip()
        begin = cut
        while begin < end and text[begin].isspace():
            begin += 1


def _cut(window: str, size: int, left: int) -> int:
    """Where the next part ends, from 1 to `size`; `window` begins what is left and reaches a little beyond `size`."""
    last_two = left < 2 * size
    aim = left // 2 if last_two else size
    least = left - size if last_two else 1
    paragraphs = [match.start() for match in _PARAGRAPH_BREAK.finditer(window, 1)]
    if nearest := _nearest(paragraphs, aim, max(least, aim // 2), size):
        return nearest
    sentences = next(filter(None, (_sentence_ends(window, aim, reach, size) for reach in _REACHES)), [])
    lines = [match.start() for match in _SPACES.finditer(window, 1) if "\n" in match.group()]
    words = [match.start() for match in _SPACES.finditer(window, 1)]
    for ends in (sentences, lines, words):
        if nearest := _nearest(ends, aim, least, size) or _nearest(ends, size, 1, size):
            return nearest
    return _between_characters(window, size)


def _nearest(ends: Sequence[int], aim: int, least: int, most: int) -> int | None:
    return min((end for end in ends if least <= end <= most), key=lambda end: abs(end - aim), default=None)


def _sentence_ends(window: str, aim: int, reach: int, most: int) -> list[int]:
    """Ends of sentences, up to `most`, among the characters at most `reach` away from `aim`."""
    begin = max(0, aim - reach)
    plain = _NOT_PLAIN.sub(" ", window[begin : aim + reach])
    ends: list[int] = []
    at = 0
    for sentence in segment("en", plain):
        core = sentence.strip()
        found = plain.find(core, at) if core else -1
        if found >= 0:
            at = found + len(core)
            ends.append(begin + at)
    return [end for end in ends[:-1] if end <= most]  # the last one ends where the window does


def _between_characters(window: str, size: int) -> int:
    """The last place up to `size` that doesn't part a letter from its marks, or an emoji from its modifiers."""
    for cut in range(size, max(0, size - _LONGEST_CLUSTER), -1):
        if not _joins_before(window[cut]) and window[cut - 1] != "\u200d":
            return cut
    return size


def _joins_before(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M" or character == "\u200d" or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
