"""The entries of a JSON list, one by one: the file is never held as a whole."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.read_utf8 import utf8_chunks

_SPACE = re.compile(r"[ \t\n\r]*")
_OPEN_TEXT = "Unterminated string"
_LONGEST_TOKEN = 16
"""No literal, escape or tail of a number is longer: whatever ends, or fails, further from the end of what was read, is
the same however much more is read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list: its value, its position (from 0) and the line where it begins (from 1)."""

    value: Any
    position: int
    line: int


def stream_entries(path: Path, keys: Sequence[str], explain: Callable[[Sequence[str]], str]) -> Iterator[Entry]:
    """The entries of the file's list: the file is a list itself, or an object that holds one under one of `keys`.

    Bare `NaN` and `Infinity` are read as Python reads them. The rest of an object is checked and dropped; memory is
    that of the largest entry, or of the largest other value beside the list.

    Raises InputError where the file isn't JSON, with line and column; where it holds no such list, with what
    `explain` says about the keys that were found instead.
    """
    source = _Source(path)
    opening = source.peek()
    if opening == "":
        raise InputError(f"{path} is empty. Give a file that holds a JSON list.")
    if opening == "[":
        yield from _entries(source)
    elif opening == "{":
        yield from _entries_of_object(source, keys, explain)
    else:
        source.value()
        raise InputError(f"{path} holds a single JSON value. {explain(())}")
    if source.peek():
        raise source.error("more text follows after the end of the JSON value; a file of JSON lines is named .jsonl")


def parse_json(text: str, place: str) -> Any:
    """The value of a JSON text; `place` starts the message of the InputError that says what is wrong."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}, column {error.pos + 1}: not JSON: {error.msg}. Correct it.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: JSON that can't be read: {error}. Correct it.") from error


def _entries(source: "_Source") -> Iterator[Entry]:
    source.expect("[")
    if source.peek() == "]":
        source.expect("]")
        return
    position = 0
    while True:
        source.peek()
        line = source.line_here()
        yield Entry(source.value(), position, line)
        position += 1
        if source.expect(",]") == "]":
            return


def _entries_of_object(
    source: "_Source", keys: Sequence[str], explain: Callable[[Sequence[str]], str]
) -> Iterator[Entry]:
    found: list[str] = []
    read: str | None = None
    for key in _keys(source):
        found.append(key)
        if key not in keys or source.peek() != "[":
            source.value()
        elif read is None:
            read = key
            yield from _entries(source)
        else:
            raise InputError(f"{source.path} holds two lists, {read!r} and {key!r}. Give a file with one.")
    if read is None:
        raise InputError(f"{source.path} holds no list under {' or '.join(map(repr, keys))}. {explain(found)}")


def _keys(source: "_Source") -> Iterator[str]:
    """The keys of an object; whoever takes one reads its value before the next."""
    source.expect("{")
    if source.peek() == "}":
        source.expect("}")
        return
    while True:
        if source.peek() != '"':
            raise source.error("a key in double quotes was expected")
        key: str = source.value()
        source.expect(":")
        yield key
        if source.expect(",}") == "}":
            return


class _Source:
    """Text of a file, read on when more is needed; `_at` is where reading stands in what is held."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chunks = utf8_chunks(path)
        self._held = ""
        self._at = 0
        self._line, self._counted = 1, 0
        self._column_before = 0
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that isn't space, unread; empty at the end of the file."""
        while True:
            self._skip_space()
            if self._at < len(self._held) or not self._more():
                return self._held[self._at : self._at + 1]

    def expect(self, allowed: str) -> str:
        """Read the next character, which must be one of these."""
        found = self.peek()
        if not found or found not in allowed:
            expected = " or ".join(map(repr, allowed))
            raise self.error(
                f"{expected} was expected" + ("" if found else "; the file ends here, so it may be cut off")
            )
        self._at += 1
        return found

    def value(self) -> Any:
        """Read one JSON value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                if self._may_be_cut(error) and self._more():
                    continue
                raise self.error(_said(error), error.pos) from error
            except (ValueError, RecursionError) as error:
                raise self.error(str(error)) from error
            if end < len(self._held) - _LONGEST_TOKEN or not self._more():
                self._at = end
                return value

    def line_here(self) -> int:
        """The line (from 1) where reading stands."""
        self._line += self._held.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def error(self, what: str, at: int | None = None) -> InputError:
        at = self._at if at is None else at
        line = self.line_here() + self._held.count("\n", self._at, at)
        begin = self._held.rfind("\n", 0, at)
        column = at - begin if begin >= 0 else self._column_before + at + 1
        return InputError(f"{self.path}, line {line}, column {column}: not JSON: {what}. Correct the file.")

    def _skip_space(self) -> None:
        match = _SPACE.match(self._held, self._at)
        self._at = match.end() if match else self._at

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith(_OPEN_TEXT) or error.pos >= len(self._held) - _LONGEST_TOKEN

    def _more(self) -> bool:
        """Read on, at least as much as is unread, and let go of what has been read; False at the end of the file."""
        wanted, got = max(1, len(self._held) - self._at), 0
        pieces: list[str] = []
        while got < wanted and (piece := next(self._chunks, None)) is not None:
            pieces.append(piece)
            got += len(piece)
        if not got:
            return False
        self.line_here()
        newline = self._held.rfind("\n", 0, self._at)
        self._column_before = self._at - newline - 1 if newline >= 0 else self._column_before + self._at
        self._held = "".join([self._held[self._at :], *pieces])
        self._at = self._counted = 0
        return True


def _said(error: json.JSONDecodeError) -> str:
    """The message without the position's preposition; whether the file seems cut off."""
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    at_end = error.msg.startswith(_OPEN_TEXT) or not error.doc[error.pos :].strip()
    return f"{said}; the file ends here, so it may be cut off" if at_end else said
