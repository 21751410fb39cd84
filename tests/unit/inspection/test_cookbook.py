"""docs/cypher.md holds every inspection with the text that is run; tests/integration checks what it says they find."""

from types import ModuleType

import pytest

from hipporag_neo4j.inspection.catalogue import GROUPS, inspections
from tests.scripts import load_script
from tests.servers import ROOT

COOKBOOK = (ROOT / "docs" / "cypher.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/_cookbook.py as a module."""
    return load_script("_cookbook")


def test_it_has_every_inspection_once_in_its_group() -> None:
    headings = [line for line in COOKBOOK.splitlines() if line.startswith(("## ", "### "))]
    expected = [heading for question, names in GROUPS for heading in (f"## {question}", *(f"### {n}" for n in names))]
    assert headings == expected


@pytest.mark.parametrize("name", inspections())
def test_its_text_is_the_one_that_is_run(name: str, script: ModuleType) -> None:
    # All but the last line, which is what was found.
    *lines, _ = script.recipe(inspections()[name], [])
    assert "\n".join(lines) in COOKBOOK


def test_its_opening_is_the_scripts(script: ModuleType) -> None:
    assert COOKBOOK.startswith(script.OPENING)
