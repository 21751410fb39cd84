"""What README says is so: its commands, its settings, its program, and what it shows of the demonstration."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer.main
from typer.core import TyperGroup

from hipporag_neo4j import demo
from hipporag_neo4j.cli.app import app
from hipporag_neo4j.cli.demo import _chain
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.acceptance.command_line import CommandLine
from tests.embedders import CachedEmbedder
from tests.servers import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
Known = dict[tuple[str, ...], set[str]]


def blocks(language: str) -> list[str]:
    """The contents of README's code blocks in a language."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [block for name, block in every if name == language]


def commands(group: TyperGroup, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command with its whole name and its options."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name), {option for parameter in command.params for option in parameter.opts}


@pytest.fixture(scope="module")
def known() -> Known:
    """The options of each command by its name."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return dict(commands(group))


def typed() -> Iterator[list[str]]:
    """Every call of the command line that README shows, in words."""
    for block in blocks(""):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("hipporag-neo4j "):
                yield shlex.split(line, comments=True)[1:]
    for shown in re.findall(r"`hipporag-neo4j ([^`]+)`", README):
        yield shlex.split(shown)


def test_every_call_shown_exists_with_its_options(known: Known) -> None:
    calls = list(typed())
    assert len(calls) >= 7
    for words in calls:
        name = tuple(words[:2] if words[0] in ("server", "cache") else words[:1])
        assert name in known, words
        assert {word for word in words if word.startswith("--")} <= known[name], words


def test_every_command_is_in_the_table_and_the_other_way_round(known: Known) -> None:
    (table,) = re.findall(r"^\| command \| does \|\n\|[-|]+\|\n(.*?)^$", README, re.MULTILINE | re.DOTALL)
    named = set()
    for row in table.splitlines():
        first, *others = re.findall(r"`([^`]+)`", row.split("|")[1])
        words = tuple(word for word in first.split() if not word.isupper())
        named.add(words)
        named |= {(*words[:-1], other) for other in others}
    assert named == set(known)


def test_every_option_and_setting_named_exists(known: Known) -> None:
    options = set().union(*known.values())
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) - options - {"--wait"} == set()
    variables = {
        str(field.validation_alias) if field.validation_alias else f"HIPPORAG_{name.upper()}"
        for name, field in Settings.model_fields.items()
    }
    assert set(re.findall(r"\b(?:NEO4J|OPENAI|HIPPORAG)_[A-Z_]*[A-Z]\b", README)) - variables == set()


def test_every_command_takes_what_readme_says(known: Known) -> None:
    for name, options in known.items():
        assert ("--namespace" in options) == (name[0] != "server"), name
        assert ("--json" in options) == (name != ("mcp",)), name  # it speaks a protocol of its own


def test_the_program_runs(line: CommandLine, namespace: str) -> None:
    (program,) = blocks("python")
    assert program.count('"papers"') == 1
    run = subprocess.run(
        [sys.executable, "-c", program.replace('"papers"', repr(namespace))],
        cwd=ROOT,
        env={**line.environment, "HIPPORAG_LLM_MODEL": "scripted", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *passages, last = run.stdout.splitlines()
    assert {passage.split(maxsplit=2)[1] for passage in passages} == {"a", "b"}
    assert "Seed(" in last
    assert " None {" in last  # it didn't fall back


def test_the_demonstration_shows_what_readme_shows(settings: Settings, cached_minilm: CachedEmbedder) -> None:
    (shown,) = [block for block in blocks("") if "walks the graph" in block]
    with HippoRAG(settings, embedder=cached_minilm) as rag:
        rag.import_openie(demo.OPENIE)
        comparisons = list(demo.compare(rag))
    for comparison in comparisons:
        assert comparison.found(comparison.graph) == len(comparison.question.gold), comparison.question
        assert comparison.found(comparison.dense) < len(comparison.question.gold), comparison.question
    first = comparisons[0]
    lines = shown.splitlines()
    assert lines[0] == f" 1 {first.question.question}"
    assert first.question.answer in lines[1]
    gold = len(first.question.gold)
    assert f"walks the graph: {first.found(first.graph)} of {gold} " in lines[2]
    assert lines[2].endswith(f"similarity alone: {first.found(first.dense)} of {gold}")
    headings = [re.split(r"\s{2,}(?=\d )", line.strip()) for line in lines[3:] if re.match(r" \d ", line)]
    for position, (left, right) in enumerate(headings):
        for cell, result in ((left, first.graph), (right, first.dense)):
            passage = result.passages[position]
            mark = " ✓ " if demo.is_gold(passage, first.question) else "   "
            assert cell == f"{position + 1}{mark}{passage.title}"
    assert len(headings) == demo.TOP
    for chain in first.chains:
        assert _chain(chain).plain in shown
