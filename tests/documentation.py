"""What the pages show and where they lead: README, CONTRIBUTING, CHANGELOG and docs/."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import typer.main
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.core import TyperGroup

from hipporag_neo4j.cli.app import app
from hipporag_neo4j.settings import Settings
from tests.servers import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
Known = dict[tuple[str, ...], set[str]]
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def name_of(page: Path) -> str:
    """A page's path in the project, to name a test by."""
    return page.relative_to(ROOT).as_posix()


def read(page: Path) -> str:
    """A page's text."""
    return page.read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The contents of the code blocks in a language."""
    return [token.content for token in _MARKDOWN.parse(text) if token.type == "fence" and token.info == language]


def spans(text: str) -> Iterator[str]:
    """What stands between single backticks."""
    for token in _inline(text):
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def links(text: str) -> Iterator[str]:
    """Where links and pictures lead."""
    for token in _inline(text):
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src")
            if isinstance(target, str):
                yield target


def anchors(text: str) -> set[str]:
    """The places in a page that a link can name, by the rule of GitHub and MyST."""
    tokens = _MARKDOWN.parse(text)
    headings = [following for token, following in pairwise(tokens) if token.type == "heading_open"]
    titles = ["".join(child.content for child in heading.children or ()) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands() -> Known:
    """The options of each command by its whole name."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return dict(_commands(group))


def calls(text: str) -> Iterator[list[str]]:
    """Every call of the command line that a page shows, in words."""
    for block in blocks(text, ""):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("hipporag-neo4j "):
                yield shlex.split(line, comments=True)[1:]
    for shown in spans(text):
        if shown.startswith("hipporag-neo4j ") and "…" not in shown:
            yield shlex.split(shown)[1:]


def command_of(words: list[str], known: Known) -> tuple[str, ...]:
    """The name that a call begins with; empty where there is no such command."""
    return next((name for length in (2, 1) if (name := tuple(words[:length])) in known), ())


def variables() -> set[str]:
    """The environment variables that settings are read from."""
    return {
        str(field.validation_alias) if field.validation_alias else f"HIPPORAG_{name.upper()}"
        for name, field in Settings.model_fields.items()
    }


def _inline(text: str) -> Iterator[Token]:
    return (token for token in _MARKDOWN.parse(text) if token.type == "inline")


def _commands(group: TyperGroup, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _commands(command, (*before, name))
        else:
            yield (*before, name), {option for parameter in command.params for option in parameter.opts} | {"--help"}
