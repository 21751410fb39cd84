"""Writing the graph of the questions into a fresh namespace."""

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.embedding import Embedder
from scripts._bench.common import (
    DATA,
    NAMESPACE,
    OPENIE,
    AsJson,
    DataFolder,
    import_questions_graph,
    note,
    print_json,
    with_server,
)
from scripts._bench.made_up import MadeUpEmbedder, make_up_corpus


class ReadyEmbedder:
    """An embedder whose vectors were computed before, so that writing is measured alone."""

    def __init__(self, name: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self.name = name
        self.dimensions = vectors.shape[1]
        self._rows = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors, from memory."""
        return self._vectors[[self._rows[text] for text in texts]]


def write(
    data: DataFolder = DATA,
    repeat: Annotated[int, typer.Option(min=1, help="How often the graph is written, each time anew.")] = 3,
    add: Annotated[
        int,
        typer.Option(
            min=0, max=50, metavar="PERCENT", help="Leave out so many of the passages, and measure adding them as well."
        ),
    ] = 0,
    phrases: Annotated[
        int, typer.Option(min=0, help="Write a made-up corpus of about so many phrases; 0 is that of the questions.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Another seed makes another corpus.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Writing a graph into a fresh namespace, indexes online, synonyms linked: seconds by stage, embedding apart."""
    settings = with_server(Settings(normalisation="paper"))
    runs, added = [], []
    with TemporaryDirectory() as folder:
        if phrases:
            embedder: Embedder = MadeUpEmbedder()
            corpus = Path(folder) / "corpus.json"
            corpus.write_text(json.dumps({"docs": make_up_corpus(phrases, seed)}), "utf-8")
        else:
            with HippoRAG(settings, namespace=NAMESPACE) as rag:
                import_questions_graph(rag, data)
                embedder = _ready(rag.embedder, rag)
            corpus = data / OPENIE
        most, rest = _parts(corpus, Path(folder), add)
        for _ in range(repeat):
            namespace = f"bench_{uuid.uuid4().hex[:8]}"
            with HippoRAG(settings, namespace=namespace, embedder=embedder) as rag:
                rag.init()
                runs.append(_timed(rag, most))
                if rest:
                    added.append(_timed(rag, rest))
                rag.drop()
    shares = [round(_writing(one) / _writing(whole), 4) for one, whole in zip(added, runs, strict=False)]
    if as_json:
        figures: dict[str, Any] = {"best_seconds": min(run["without_embedding"] for run in runs), "runs": runs}
        print_json(figures | ({"added": added, "share_of_writing_and_linking": shares} if added else {}))
        return
    _show("stage", runs)
    if added:
        _show(f"adding {add} %", added)
        note.print(f"Writing and linking, share of the build: {', '.join(f'{share:.1%}' for share in shares)}")


def _parts(file: Path, folder: Path, percent: int) -> tuple[Path, Path | None]:
    """The file itself, or one with most of its passages and one with the rest, spread over the corpus."""
    if not percent:
        return file, None
    docs = json.loads(file.read_text("utf-8"))["docs"]
    rest = {int(place) for place in np.linspace(0, len(docs) - 1, max(1, len(docs) * percent // 100))}
    paths = folder / "most.json", folder / "rest.json"
    for path, wanted in zip(paths, (False, True), strict=True):
        kept = [doc for place, doc in enumerate(docs) if (place in rest) == wanted]
        path.write_text(json.dumps({"docs": kept}), "utf-8")
    return paths


def _timed(rag: HippoRAG, file: Path) -> dict[str, float]:
    begin = time.perf_counter()
    report = rag.import_openie(file)
    total = time.perf_counter() - begin
    seconds = {**report.seconds, "total": total, "without_embedding": total - report.seconds.get("embed", 0.0)}
    return {"passages": report.written, **{name: round(value, 3) for name, value in seconds.items()}}


def _writing(run: Mapping[str, float]) -> float:
    return run["write"] + run["link"] + run["publish"]


def _show(title: str, runs: Sequence[Mapping[str, float]]) -> None:
    table = Table(title, *(f"run {n}, s" for n in range(1, len(runs) + 1)))
    for name in runs[0]:
        table.add_row(name, *(f"{run[name]:.2f}" if name != "passages" else str(run[name]) for run in runs))
    Console().print(table)


def _ready(embedder: Embedder, rag: HippoRAG) -> ReadyEmbedder:
    """All texts of the graph with the vectors it holds."""
    rows = list(rag.database.stream("bench/read_vectors", namespace=rag.namespace, dimensions=embedder.dimensions))
    return ReadyEmbedder(embedder.name, [row["text"] for row in rows], _matrix([row["embedding"] for row in rows]))


def _matrix(vectors: Sequence[Any]) -> NDArray[np.float32]:
    return np.array([vector.to_native() for vector in vectors], dtype=np.float32)
