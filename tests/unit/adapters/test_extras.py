"""An adapter whose library isn't installed says which extra brings it."""

import json
import subprocess
import sys

import pytest

from hipporag_neo4j.adapters.extras import missing_extra
from hipporag_neo4j.errors import ConfigurationError, MissingExtraError
from tests.servers import ROOT

LIBRARIES = {
    "neo4j_graphrag": ("neo4j-graphrag", "neo4j_graphrag"),
    "langchain": ("langchain", "langchain_core"),
    "llama_index": ("llama-index", "llama_index"),
    "mcp": ("mcp", "mcp"),
}
PROGRAM = """
import importlib, json, sys
adapters = json.loads(sys.argv[1])
for _, library in adapters.values():
    sys.modules[library] = None
said = {}
for name in adapters:
    try:
        importlib.import_module(f"hipporag_neo4j.adapters.{name}")
    except ImportError as error:
        said[name] = [type(error).__name__, str(error)]
import hipporag_neo4j.hipporag
print(json.dumps(said))
"""


def test_without_its_library_an_adapter_names_its_extra() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(LIBRARIES)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said.keys() == LIBRARIES.keys()
    for name, (extra, _) in LIBRARIES.items():
        kind, message = said[name]
        assert kind == "MissingExtraError"
        assert f'pip install "hipporag-neo4j[{extra}]"' in message


def test_the_error_is_one_of_this_package_and_of_imports() -> None:
    error = missing_extra("langchain", "langchain-core", ImportError("No module named 'langchain_core'"))
    assert isinstance(error, ConfigurationError)
    with pytest.raises(ImportError, match=r"needs langchain-core.*No module named.*hipporag-neo4j\[langchain\]"):
        raise error
    assert isinstance(error, MissingExtraError)
