"""The wheel holds what the product reads at run time; nothing is looked for in the repository."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hipporag_neo4j import queries
from tests.servers import ROOT

PROGRAM = """
import json
from pathlib import Path
import hipporag_neo4j
from hipporag_neo4j import prompts, queries
from hipporag_neo4j.local_server import jars

package = Path(hipporag_neo4j.__file__).parent
print(json.dumps({
    "package": str(package),
    "folder": str(queries.cypher_folder()),
    "statements": [queries.load(name).name for name in queries.names()],
    "prompt": prompts.question_entity_messages("Who?", None)[-1].content,
    "jars": (package / "local_server" / "jars.txt").stat().st_size,
    "typed": (package / "py.typed").exists(),
    "sample": sorted(path.name for path in (package / "sample").iterdir()),
}))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network and unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_an_installed_package_reads_its_statements_prompts_and_sample(unpacked: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=unpacked.parent,
        env={"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(run.stdout)
    assert found["package"] == str(unpacked / "hipporag_neo4j")
    assert found["folder"] == str(unpacked / "hipporag_neo4j" / "cypher")
    assert tuple(found["statements"]) == queries.names()
    assert "Who?" in found["prompt"]
    assert found["jars"] > 10_000
    assert found["typed"]
    assert {"openie.json", "passages.jsonl", "questions.json"} <= set(found["sample"])


def test_the_wheel_holds_the_package_alone(unpacked: Path) -> None:
    names = {path.name for path in unpacked.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"hipporag_neo4j"}
    assert not [path for path in unpacked.rglob("*") if path.name.startswith("test_")]
