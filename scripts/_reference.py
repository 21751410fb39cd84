"""Writes docs/commands.md and docs/settings.md from the command line and the settings themselves.

Run it after a change there, or run scripts/docs, which does: `.venv/bin/python scripts/_reference.py`.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import typer.main
from pydantic import SecretStr
from pydantic.fields import FieldInfo
from typer.cli import get_docs_for_click

from hipporag_neo4j.cli.app import app
from hipporag_neo4j.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
GROUPS = {
    "neo4j_uri": "The server",
    "namespace": "The graph",
    "openai_api_key": "The language model",
    "embedding_provider": "Embeddings",
    "passage_size": "Passages and synonyms",
    "damping": "The walk",
    "hipporag2_facts": "Seeds",
    "further_facts": "Further looks",
    "reading_characters": "Answers",
    "data_dir": "The local server",
}
"""The first setting of each group, in the order of the settings."""
FOLDERS = {"data_dir": "the user's data folder", "cache_dir": "the user's cache folder"}
LARGE = 1_000_000
"""A bound from here on only keeps nonsense out, and isn't told."""

SETTINGS_OPENING = """# Settings

A setting is read from the environment, or given in Python, where its name is in lower case and without `HIPPORAG_`.
Options of a command go before both. No file is read. A value that can't be used is an error that names its setting.

```python
from hipporag_neo4j import HippoRAG, Settings

with HippoRAG(Settings(namespace="papers", hybrid_facts=30)) as rag:
    print(rag.namespace)
```
"""


def commands() -> str:
    """The page about the command line, by typer's own writer."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="hipporag-neo4j")
    page = get_docs_for_click(obj=command, ctx=context, name="hipporag-neo4j", title="Commands")
    overview, heading, rest = page.partition("\n## ")
    page = re.sub(r"^\* (`(\w[\w-]*)`):", r"* [\1](#hipporag-neo4j-\2):", overview, flags=re.MULTILINE) + heading + rest
    page = re.sub(r"\n+(Examples?):\n((?:  .*\n)+)", _examples, page)
    return _linked(re.sub(r"\n{3,}", "\n\n", page).rstrip() + "\n")


def _examples(found: re.Match[str]) -> str:
    lines = "".join(line.removeprefix("  ") + "\n" for line in found[2].splitlines())
    return f"\n\n**{found[1]}**:\n\n```\n{lines}```\n"


def settings() -> str:
    """The page about the settings."""
    return SETTINGS_OPENING + _linked("".join(_rows()))


def _linked(text: str) -> str:
    """Pages that are named by their path become links."""
    return re.sub(r"docs/((\w+)\.md)", r"[\2](\1)", text)


def _rows() -> Iterator[str]:
    told = documented()
    for name, field in Settings.model_fields.items():
        if name in GROUPS:
            yield f"\n## {GROUPS[name]}\n\n| setting | default | meaning |\n|---|---|---|\n"
        meaning = " ".join(filter(None, [told[name], _limits(field)]))
        yield f"| `{environment(name, field)}` | {_default(name, field)} | {meaning} |\n"


def environment(name: str, field: FieldInfo) -> str:
    """The variable that sets it."""
    return str(field.validation_alias) if field.validation_alias else f"HIPPORAG_{name.upper()}"


def documented() -> dict[str, str]:
    """The text below each setting, on one line."""
    (tree,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(tree, ast.ClassDef)
    texts = {}
    for statement, following in zip(tree.body, tree.body[1:], strict=False):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                texts[name] = " ".join(text.split())
    return texts


def _default(name: str, field: FieldInfo) -> str:
    if name in FOLDERS:
        return FOLDERS[name]
    if field.default is None:
        return "none"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def _limits(field: FieldInfo) -> str:
    """What values it may have, as far as its type and bounds say."""
    choices = [choice for kind in _kinds(field.annotation) if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices:
        return f"One of {', '.join(f'`{choice}`' for choice in choices)}."
    bounds = {
        key: getattr(item, key) for item in field.metadata for key in ("ge", "gt", "le", "lt") if hasattr(item, key)
    }
    said = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    told = [f"{said[key]} {value:g}" for key, value in bounds.items() if value < LARGE]
    return f"{', '.join(told).capitalize()}." if told else ""


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """The types that an annotation joins."""
    if get_origin(annotation) is Literal:
        return (annotation,)
    return tuple(kind for kind in get_args(annotation) if kind not in (NoneType, SecretStr))


if __name__ == "__main__":
    for path, text in ((DOCS / "commands.md", commands()), (DOCS / "settings.md", settings())):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"Wrote {path}.")
