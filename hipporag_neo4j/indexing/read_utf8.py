"""UTF-8 bytes of a file as text; what isn't UTF-8 is an error that names the byte."""

import codecs
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hipporag_neo4j.errors import InputError

_CHUNK = 1 << 18
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file as bytes; `number` counts from 1, `offset` is that of its first byte."""

    path: Path
    number: int
    offset: int
    data: bytes

    def text(self) -> str:
        """The line without its end. Raises InputError where it isn't UTF-8."""
        return _decode(self.data, self.path, self.offset, f", line {self.number}").rstrip("\r\n")


def utf8_text(path: Path) -> str:
    """The whole file, without a byte order mark, with `\\n` as line end whatever the file has."""
    with _opened(path) as file:
        data, skipped = _without_mark(file.read(), path)
    return _decode(data, path, skipped).replace("\r\n", "\n").replace("\r", "\n")


def utf8_lines(path: Path) -> Iterator[Line]:
    """The file line by line, ended by `\n` alone, without a byte order mark."""
    with _opened(path) as file:
        offset = 0
        for number, data in enumerate(file, start=1):
            rest, skipped = _without_mark(data, path) if number == 1 else (data, 0)
            yield Line(path, number, offset + skipped, rest)
            offset += len(data)


def utf8_chunks(path: Path) -> Iterator[str]:
    """The file in pieces of about a quarter of a million characters."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        data, offset = _without_mark(file.read(_CHUNK), path)
        while True:
            begin = offset - len(decoder.getstate()[0])
            try:
                yield decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise _not_utf8(path, begin + error.start) from error
            if not data:
                return
            offset += len(data)
            data = file.read(_CHUNK)


def check_regular(path: Path) -> None:
    """Raise InputError for a pipe, a device or a socket, which may never end; what doesn't exist is left to others.

    Passages are read twice, which these can't be: to count them and find mistakes before anything is written, and to
    write them.
    """
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except OSError:
        return
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise InputError(
            f"{path} is {_KINDS.get(kind, 'no regular file')}, which can't be read twice, as passages are: to count "
            "them and find mistakes before anything is written, and to write them. Write them into a file first."
        )


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise InputError(f"{path} doesn't exist. Check the path.") from error
    except OSError as error:
        raise InputError(
            f"{path} can't be read: {error.strerror or error}. Check the path and its permissions."
        ) from error


def _without_mark(data: bytes, path: Path) -> tuple[bytes, int]:
    """The bytes without a UTF-8 byte order mark, and how many bytes the mark took."""
    if data.startswith(_UTF16_MARKS):
        raise InputError(f"{path} is UTF-16, not UTF-8. Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8")
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :], len(codecs.BOM_UTF8)
    return data, 0


def _decode(data: bytes, path: Path, offset: int, place: str = "") -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(path, offset + error.start, place) from error


def _not_utf8(path: Path, offset: int, place: str = "") -> InputError:
    return InputError(
        f"{path}{place} is not UTF-8: the byte at offset {offset} doesn't belong there. Save it as UTF-8."
    )
