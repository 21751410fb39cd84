"""The wheel holds what the product reads at run time, and the source archive all that the project is."""

import json
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
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
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that is made from it, built without network."""
    folder = tmp_path_factory.mktemp("dist")
    run = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path) -> Path:
    """The wheel, unpacked."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


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


def test_the_wheel_holds_every_file_of_the_package(unpacked: Path) -> None:
    kept = files(ROOT / "hipporag_neo4j") | {f"cypher/{name}" for name in files(ROOT / "cypher")}
    held = files(unpacked / "hipporag_neo4j")
    assert held == kept


def test_the_metadata_names_licence_and_description(unpacked: Path) -> None:
    (folder,) = unpacked.glob("*.dist-info")
    metadata = message_from_string((folder / "METADATA").read_text(encoding="utf-8"))
    assert metadata["License-Expression"] == "MIT"
    assert (folder / "licenses" / "LICENSE").read_text(encoding="utf-8") == read("LICENSE")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == read("README.md")
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_source_archive_holds_the_project(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    assert tracked - held == set()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def files(folder: Path) -> set[str]:
    """The files below a folder, by their paths in it, but what Python compiled."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}
