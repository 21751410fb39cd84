"""What README says is so: its commands, its program, its statement, and what it shows of the demonstration."""

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j import demo
from hipporag_neo4j.cli.demo import _chain
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests import documentation
from tests.acceptance.command_line import CommandLine
from tests.documentation import Known, blocks
from tests.embedders import CachedEmbedder
from tests.servers import ROOT

if TYPE_CHECKING:
    import neo4j

README = documentation.read(ROOT / "README.md")


@pytest.fixture(scope="module")
def known() -> Known:
    """The options of each command by its name."""
    return documentation.commands()


def test_every_command_is_in_the_table_and_the_other_way_round(known: Known) -> None:
    (table,) = re.findall(r"^\| command \| does \|\n\|[-|]+\|\n(.*?)^$", README, re.MULTILINE | re.DOTALL)
    named = set()
    for row in table.splitlines():
        first, *others = re.findall(r"`([^`]+)`", row.split("|")[1])
        words = tuple(word for word in first.split() if not word.isupper())
        named.add(words)
        named |= {(*words[:-1], other) for other in others}
    assert named == set(known)


def test_every_command_takes_what_readme_says(known: Known) -> None:
    for name, options in known.items():
        assert ("--namespace" in options) == (name[0] not in ("server", "existing")), name
        assert ("--json" in options) == (name != ("mcp",)), name  # it speaks a protocol of its own


def test_the_program_runs(line: CommandLine, namespace: str) -> None:
    (program,) = blocks(README, "python")
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


def test_the_demonstration_shows_what_readme_shows(
    settings: Settings, cached_minilm: CachedEmbedder, driver: "neo4j.Driver"
) -> None:
    (shown,) = [block for block in blocks(README, "") if "walks the graph" in block]
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
    (statement,) = [block for block in blocks(README, "cypher") if "oda merrin" in block]
    with driver.session(database=settings.neo4j_database) as session:
        rows = session.run(statement.replace("'demo'", f"'{settings.namespace}'")).values()
    assert ["ilse corvane", "was apprenticed for seven years to", ["varnish-oath"]] in rows
