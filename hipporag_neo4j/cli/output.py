"""Where words go: results to standard output, everything else to standard error; JSON stands alone."""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from hipporag_neo4j.errors import InputError

_CONTROL = re.compile("[\x7f-\x9f\ud800-\udfff]")
"""Control characters that JSON lets stand, and that some terminals obey; halves of surrogate pairs."""
_NARROWEST = 40
"""Columns below which tables lose their words; the terminal may break the lines instead."""


@cache
def stdout() -> Console:
    """Standard output. No markup, no highlighting: passages may hold anything."""
    console = Console(markup=False, highlight=False, emoji=False)
    console.width = max(console.width, _NARROWEST)
    return console


@cache
def stderr() -> Console:
    """Standard error; wraps on a terminal, leaves lines whole where a program reads them."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    console.soft_wrap = not console.is_terminal
    return console


def print_json(values: dict[str, Any]) -> None:
    """Values as JSON on standard output, in UTF-8 whatever the locale; control characters are escaped, all of them."""
    text = json.dumps(values, indent=2, ensure_ascii=not _speaks_unicode(), default=str)
    typer.echo(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def tell(message: str, style: str = "") -> None:
    """A line on standard error."""
    stderr().print(Text(clean(message), style=style))


def warn(message: str) -> None:
    """A line on standard error that shouldn't be overlooked."""
    tell(message, style="yellow")


def fail(message: str) -> None:
    """Why the command failed, on standard error."""
    stderr().print(Text.assemble(("Error: ", "bold red"), clean(message)))


def list_some(title: str, items: Sequence[str], most: int, *, of: int | None = None) -> None:
    """The first items on standard error, and how many more there are (`of` in all); nothing for none."""
    if not items:
        return
    warn(f"{title}:")
    for item in items[:most]:
        tell(f"  {item}")
    if (more := (of or len(items)) - min(most, len(items))) > 0:
        tell(f"  … and {more:,} more")


def clean(text: str) -> str:
    """Text that can't steer the terminal: control characters become spaces, line breaks stay."""
    return "".join(c if c == "\n" or c.isprintable() else " " for c in text)


def snippet(text: str, length: int = 240) -> str:
    """The beginning of a text on one line, cut between words."""
    line = " ".join(clean(text[: 4 * length]).split())
    if len(line) <= length:
        return line
    return line[:length].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def check_file(path: Path, option: str, others: Iterable[Path | None] = ()) -> None:
    """Refuse a file that can't be written, or is one of the `others` of the command, before anything is asked."""
    try:
        problem = _why_not_written(path, [other for other in others if other is not None])
    except (OSError, RuntimeError) as error:  # a name that is too long, links in a circle
        problem = f"{path} can't be written: {getattr(error, 'strerror', None) or error}. Name another file."
    if problem is not None:
        raise typer.BadParameter(problem, param_hint=f"'{option}'")


def _why_not_written(path: Path, others: Sequence[Path]) -> str | None:
    folder = path.absolute().parent
    if str(path) == "-":
        return "It is written to a file. Name one."
    if path.resolve() in {other.resolve() for other in others}:
        return f"{path} is another file of this command, and would be overwritten. Name one of its own."
    if path.exists() and not path.is_file():
        return f"{path} can't be written: it is {'a folder' if path.is_dir() else 'no ordinary file'}."
    if not folder.is_dir():
        return f"{path} can't be written: {path.parent} is no folder."
    if not os.access(path if path.exists() else folder, os.W_OK):
        return f"{path} can't be written: you may not. Name another file."
    return None


def write_file(path: Path, text: str, what: str) -> None:
    """Write a text to the file that the user named for `what`, and say so. Raises InputError where that can't be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{what} can't be written to {path}: {error.strerror or error}. Name another file.") from error
    tell(f"{what} is in {path}.")


def plural(number: int, what: str, plural_form: str | None = None) -> str:
    """`1 passage`, `1,890 passages`."""
    return f"{number:,} {what if number == 1 else plural_form or what + 's'}"


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")
