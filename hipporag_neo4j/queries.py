"""The statements in cypher/, read once and checked: one file, one statement, everything that varies is a parameter.

A file starts with comment lines: what it does, then `// params:`, `// returns:` and `// mode:` (read, write or schema).
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

QueryMode = Literal["read", "write", "schema"]

_HEADER = re.compile(r"^//\s*(params|returns|mode):\s*(.*)$")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//.*")
"""Strings, quoted names and comments, whichever begins first."""
_NESTED = re.compile(r"\([^()]*\)")


class QueryFileError(ValueError):
    """A file in cypher/ doesn't keep to the form; a mistake of the developer, found by tests."""


@dataclass(frozen=True, slots=True)
class Query:
    """A statement: its name (`retrieval/rank_by_mentions`), text, declared parameters, and mode."""

    name: str
    text: str
    description: str
    parameters: frozenset[str]
    returns: str
    mode: QueryMode


def cypher_folder() -> Path:
    """Where the statements lie: inside an installed package, else beside it in the repository."""
    package = Path(__file__).parent
    installed = package / "cypher"
    return installed if installed.is_dir() else package.parent / "cypher"


@cache
def load(name: str) -> Query:
    """The statement `<stage>/<verb>_<object>`. Raises QueryFileError when its file is missing or not in the form."""
    path = cypher_folder() / f"{name}.cypher"
    if not path.is_file():
        raise QueryFileError(f"There is no statement {name!r} in {cypher_folder()}.")
    return parse(name, path.read_text(encoding="utf-8"))


def names() -> tuple[str, ...]:
    """Names of all statements, sorted."""
    folder = cypher_folder()
    return tuple(sorted(p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.cypher")))


def parse(name: str, source: str) -> Query:
    """Read one file. Raises QueryFileError when a header is missing or the parameters differ from those used."""
    description: list[str] = []
    headers: dict[str, str] = {}
    last = ""
    body: list[str] = []
    for line in source.splitlines():
        if body or not line.startswith("//"):
            body.append(line)
        elif header := _HEADER.match(line):
            last = header[1]
            headers[last] = header[2].strip()
        elif last:
            headers[last] += " " + line.removeprefix("//").strip()
        else:
            description.append(line.removeprefix("//").strip())
    if missing := [h for h in ("params", "returns", "mode") if h not in headers]:
        raise QueryFileError(f"cypher/{name}.cypher lacks the header '// {missing[0]}:'.")
    if headers["mode"] not in get_args(QueryMode):
        raise QueryFileError(f"cypher/{name}.cypher has the mode {headers['mode']!r}: take read, write or schema.")
    text = "\n".join(body).strip()
    declared = _declared(headers["params"])
    used = frozenset(_USED.findall(_QUOTED.sub("", text)))
    if declared != used:
        raise QueryFileError(
            f"cypher/{name}.cypher: declared but not used: {sorted(declared - used)}; "
            f"used but not declared: {sorted(used - declared)}."
        )
    mode: QueryMode = headers["mode"]  # type: ignore[assignment]  # checked above
    return Query(name, text, " ".join(description), declared, headers["returns"], mode)


def _declared(header: str) -> frozenset[str]:
    if header == "none":
        return frozenset()
    flat = header
    while (stripped := _NESTED.sub("", flat)) != flat:
        flat = stripped
    return frozenset(name.strip() for name in flat.split(",") if name.strip())
