"""The statements in cypher/, read once and checked: one file, one statement, everything that varies is a parameter.

A file starts with comment lines: what it does, then `// params:`, `// returns:` and `// mode:` (read, write or schema).

A statement that heeds metadata filters has a fourth line, `// filter:`, with the variables that are filtered, and
sections `/*filter … */`. Without a filter these are the comments that they look like, so the file is a statement as it
stands; with one they belong to it, and `$where(passage)` in them is what the filter says of the variable `passage`.

A statement over labels, types and properties of others has gaps, `$label(phrase)`, and a line `// names:` with their
words. A section `/*each mention UNION … */` is repeated for each of several things, with `UNION` in between.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, Self, get_args

from hipporag_neo4j.filters import Filter, FilterProperties
from hipporag_neo4j.names import Names

Filling = Filter | FilterProperties | Names
"""What fills the sections and gaps of a statement."""
QueryMode = Literal["read", "write", "schema"]

_HEADER = re.compile(r"^//\s*(params|returns|mode|filter|names):\s*(.*)$")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//.*")
"""Strings, quoted names and comments, whichever begins first."""
_SECTION = re.compile(r"/\*filter (.*?)\s*\*/", re.DOTALL)
_WHERE = re.compile(r"\$where\((\w+)\)")
_EACH = re.compile(r"/\*each (\w+) (UNION ALL|UNION)\s(.*?)\s*\*/", re.DOTALL)
_GAP = re.compile(r"\$(\w+)\((\w*)\)")
_NESTED = re.compile(r"\([^()]*\)")


class QueryFileError(ValueError):
    """A file in cypher/ doesn't keep to the form; a mistake of the developer, found by tests."""


@dataclass(frozen=True, slots=True)
class Query:
    """A statement: its name (`retrieval/rank_by_mentions`), text, declared parameters, and mode.

    `source` is the text with the sections for filters, which are about `filtered` variables.
    """

    name: str
    text: str
    description: str
    parameters: frozenset[str]
    returns: str
    mode: QueryMode
    source: str = ""
    filtered: frozenset[str] = frozenset()
    declaration: str = ""
    """The header `params`, which says what each parameter is."""
    named: frozenset[str] = frozenset()
    """Words of the gaps that names fill."""

    def with_filter(self, where: Filling) -> Self:
        """The statement with its sections for filters, or its gaps filled. Raises TypeError for one that has none."""
        if isinstance(where, Names):
            return self.with_names(where)
        if not self.filtered:
            raise TypeError(f"cypher/{self.name}.cypher has no section for a filter.")
        active = _SECTION.sub(lambda section: section[1], self.source)
        text = _WHERE.sub(lambda place: where.text(place[1]), active)
        return replace(self, text=text, parameters=self.parameters | frozenset(where.parameters))

    def with_names(self, names: Names) -> Self:
        """The statement with its gaps filled. Raises TypeError for one that has none."""
        if not self.named:
            raise TypeError(f"cypher/{self.name}.cypher has no gap for a name.")

        parts: list[str] = []
        begin = 0
        for section in _EACH.finditer(self.text):  # a name is never looked at again: it may read like a gap
            kind, between, body = section.groups()
            parts.append(_filled(self.text[begin : section.start()], names))
            parts.append(f"\n{between}\n".join(_filled(body, one) for one in names.each(kind)))
            begin = section.end()
        return replace(self, text="".join([*parts, _filled(self.text[begin:], names)]))


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
    source = "\n".join(body).strip()
    text = _SECTION.sub("", source)
    filtered = _check_sections(name, source, headers.get("filter", "none"))
    named = _check_gaps(name, text, headers.get("names", "none"))
    declared = _declared(headers["params"])
    used = frozenset(_USED.findall(_QUOTED.sub("", _GAP.sub("", text))))
    if declared != used:
        raise QueryFileError(
            f"cypher/{name}.cypher: declared but not used: {sorted(declared - used)}; "
            f"used but not declared: {sorted(used - declared)}."
        )
    mode: QueryMode = headers["mode"]  # type: ignore[assignment]  # checked above
    return Query(
        name,
        text,
        " ".join(description),
        declared,
        headers["returns"],
        mode,
        source,
        filtered,
        headers["params"],
        named,
    )


def _filled(text: str, names: Names) -> str:
    return _GAP.sub(lambda gap: names.text(gap[1], gap[2]), text)


def _check_gaps(name: str, text: str, header: str) -> frozenset[str]:
    """The words of the gaps, which must be the declared ones."""
    declared, used = _declared(header), frozenset(gap[1] for gap in _GAP.finditer(text))
    if declared != used:
        raise QueryFileError(
            f"cypher/{name}.cypher: names declared but not used: {sorted(declared - used)}; "
            f"used but not declared: {sorted(used - declared)}."
        )
    return declared


def _check_sections(name: str, source: str, header: str) -> frozenset[str]:
    """The variables that the sections filter, which must be the declared ones."""
    sections = "\n".join(_SECTION.findall(source))
    declared, used = _declared(header), frozenset(_WHERE.findall(sections))
    if declared != used:
        raise QueryFileError(
            f"cypher/{name}.cypher: filters declared but not used: {sorted(declared - used)}; "
            f"used but not declared: {sorted(used - declared)}."
        )
    outside = _SECTION.sub("", source)
    if "/*" in _EACH.sub("", outside) or _WHERE.search(outside):
        raise QueryFileError(
            f"cypher/{name}.cypher: block comments are sections /*filter …*/, and $where stands there."
        )
    if added := set(_USED.findall(_WHERE.sub("", sections))) - set(_USED.findall(_QUOTED.sub("", outside))):
        raise QueryFileError(f"cypher/{name}.cypher: parameters of sections alone: {sorted(added)}.")
    return declared


def _declared(header: str) -> frozenset[str]:
    if header == "none":
        return frozenset()
    flat = header
    while (stripped := _NESTED.sub("", flat)) != flat:
        flat = stripped
    return frozenset(name.strip() for name in flat.split(",") if name.strip())
