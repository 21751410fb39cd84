"""Writes docs/cypher.md from the statements in cypher/inspect and what they print on the sample.

Run it after `hipporag-neo4j demo`, on the server that the settings name: `.venv/bin/python scripts/_cookbook.py`.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hipporag_neo4j import demo
from hipporag_neo4j.cli.inspect import cell
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.inspection.catalogue import GROUPS, Inspection, inspections
from hipporag_neo4j.inspection.parameters import Value
from hipporag_neo4j.inspection.paste import ready_to_paste
from hipporag_neo4j.settings import Settings

COOKBOOK = Path(__file__).resolve().parent.parent / "docs" / "cypher.md"
ROWS = 5
VARYING = {"created", "day", "first", "last", "recorded", "run", "seconds", "since"}
"""Columns that differ from run to run, and are shown as dots."""

OPENING = """# Cypher for people

Statements to ask a graph with: what it says, how things hang together, what looks wrong. They lie in `cypher/inspect`;
`hipporag-neo4j inspect` lists them, `inspect NAME` runs one, and `inspect NAME --cypher` prints its text with your
values. All of them only read, stop at `limit` rows, and see one namespace.

In Neo4j Browser run the `:param` lines, which set the values, then the statement; cypher-shell takes both at once.
Those named `draw-…` return paths, which Browser draws. Names of phrases are written as the graph writes them, in lower
case with a space for everything but letters, marks and numbers: `Glaziers' Company` is `glaziers company` (a graph made
with `--normalisation paper` keeps no letters but a to z). The command line normalises by itself, and so does
`rag.inspect("facts-of-phrase", phrase="Oda Merrin")`. Passages are found by id or title.

Each was asked of the sample, which `hipporag-neo4j demo` puts into the namespace `demo`: first what to type, then the
statement and what it found. `…` stands for what differs from run to run.
"""


def cookbook(rag: HippoRAG) -> str:
    """The whole text; `rag` holds the sample."""
    known = inspections()
    return "\n".join([OPENING, *(line for group in GROUPS for line in _group(rag, known, *group))])


def _group(rag: HippoRAG, known: Mapping[str, Inspection], question: str, names: Sequence[str]) -> Iterator[str]:
    yield f"## {question}\n"
    for name in names:
        yield from recipe(known[name], found(rag, known[name]))


def example(inspection: Inspection) -> dict[str, Value]:
    """Values to show an inspection with: those of its header, and a few rows where it has a limit."""
    values = {p.name: p.example for p in inspection.parameters if p.example is not None}
    return values | {p.name: ROWS for p in inspection.parameters if p.name == "limit"}


def found(rag: HippoRAG, inspection: Inspection) -> list[dict[str, Any]]:
    """What it finds in the sample."""
    return rag.inspect(inspection.name, **example(inspection))


def recipe(inspection: Inspection, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The lines about one inspection."""
    values = example(inspection)
    yield f"### {inspection.name}\n"
    yield f"{inspection.query.description}\n"
    yield f"```\n{typed(inspection.name, values)}\n```\n"
    yield f"```cypher\n{ready_to_paste(inspection, demo.NAMESPACE, values)}\n```\n"
    yield f"{_table(rows)}\n"


def typed(name: str, values: Mapping[str, Value]) -> str:
    """The command that asks it."""
    words = [f"hipporag-neo4j inspect {name} --namespace {demo.NAMESPACE}"]
    for parameter, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            words.append(f'--param {parameter}="{one}"' if isinstance(one, str) else f"--param {parameter}={one}")
    return " \\\n    ".join(words)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "It finds nothing in the sample."
    if list(rows[0]) == ["path"]:
        return "```\n" + "\n".join(str(row["path"]) for row in rows) + "\n```"
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [" | ".join(_cell(column, value) for column, value in row.items()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(column: str, value: object) -> str:
    return "…" if column in VARYING else cell(value).replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    with HippoRAG(Settings(), namespace=sys.argv[1] if len(sys.argv) > 1 else demo.NAMESPACE) as sample:
        COOKBOOK.write_text(cookbook(sample), encoding="utf-8")
    print(f"{COOKBOOK.name}: {len(inspections())} statements")
