"""The rules that scripts/check holds beside the linters: that the tree keeps them, and that a breach is seen."""

import subprocess
import sys
from types import ModuleType

import pytest

from tests.scripts import load_script
from tests.servers import ROOT

HEAVY = ("neo4j", "pandas", "pyarrow", "graphdatascience", "torch", "sentence_transformers", "openai", "jgo")


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    """scripts/_check_sources.py as a module."""
    return load_script("_check_sources")


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (p:Passage) RETURN p",
        "  MERGE (g:HippoGraph {namespace: $namespace})",
        "UNWIND $rows AS row",
        "CALL gds.graph.drop($name)",
        "CALL (p) {",
        "DETACH DELETE n",
        "RETURN gds.version() AS version",
        "RETURN 1",
        "SHOW VECTOR INDEXES",
        "DROP INDEX passages",
        "CREATE FULLTEXT INDEX passages",
        "CYPHER 25",
    ],
)
def test_cypher_in_python_is_seen(rules: ModuleType, statement: str) -> None:
    assert [line for line, _ in rules.cypher_in(f'"""Says nothing."""\nquery = """{statement}"""')] == [2]
    assert [line for line, _ in rules.cypher_in(f"def f():\n    return [{statement!r}, 1]")] == [2]


@pytest.mark.parametrize(
    "source",
    [
        '"""Runs MATCH (p:Passage) RETURN p."""',
        'raise ValueError("no match (yet) to return 1 of")',
        'raise ValueError("The statement must end in RETURN, CALL it again; drop the other (SHOW INDEXES)")',
        "# MATCH (p) RETURN p",
    ],
)
def test_a_docstring_a_message_and_a_comment_are_no_statement(rules: ModuleType, source: str) -> None:
    assert list(rules.cypher_in(source)) == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import neo4j", [1]),
        ("import os, neo4j.exceptions as x", [1]),
        ("def f():\n    from neo4j.vector import Vector", [2]),
        ("if TYPE_CHECKING:\n    import neo4j\nelse:\n    import neo4j", [4]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import neo4j", []),
        ("from hipporag_neo4j import database\nimport neo4j_other", []),
    ],
)
def test_imports_of_neo4j_are_seen(rules: ModuleType, source: str, lines: list[int]) -> None:
    assert list(rules.neo4j_imports_in(source)) == lines


@pytest.mark.parametrize(
    "text",
    ["cd /" + "home/ada/code", "open('/" + "tmp/x')", "C:" + "\\Users\\ada", "https://files.python" + "hosted.org/x"],
)
def test_places_of_one_machine_and_registries_are_seen(rules: ModuleType, text: str) -> None:
    assert [line for line, _ in rules.places_in(f"fine\n{text}\n")] == [2]


@pytest.mark.parametrize(
    "text", ["../shared/data", "$HOME/tmp/x", "data:/data", "org.neo4j:neo4j:2026.01.4", "a/home/b"]
)
def test_other_paths_are_let_through(rules: ModuleType, text: str) -> None:
    assert list(rules.places_in(text)) == []


def test_the_project_keeps_the_rules(rules: ModuleType) -> None:
    assert list(rules.findings()) == []


def test_importing_the_package_is_quick() -> None:
    """What every command pays before it starts: the driver alone takes 0.6 s, PyTorch several."""
    program = (
        "import sys; from hipporag_neo4j import HippoRAG, Passage, Settings; "
        f"print(*sorted({set(HEAVY)!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
