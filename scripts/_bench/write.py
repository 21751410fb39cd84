"""Writing the graph of the questions into a fresh namespace."""

import time
import uuid
from collections.abc import Sequence
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
    print_json,
    with_server,
)


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
    as_json: AsJson = False,
) -> None:
    """Writing the graph into a fresh namespace, indexes online, synonyms linked: seconds by stage, embedding apart."""
    settings = with_server(Settings(normalisation="paper"))
    runs = []
    with HippoRAG(settings, namespace=NAMESPACE) as rag:
        import_questions_graph(rag, data)
        embedder = _ready(rag.embedder, rag)
    for _ in range(repeat):
        namespace = f"bench_{uuid.uuid4().hex[:8]}"
        with HippoRAG(settings, namespace=namespace, embedder=embedder) as rag:
            rag.init()
            begin = time.perf_counter()
            report = rag.import_openie(data / OPENIE)
            total = time.perf_counter() - begin
            runs.append({**report.seconds, "total": total, "without_embedding": total - report.seconds["embed"]})
            rag.database.run("bench/drop_namespace", namespace=namespace)
    runs = [{name: round(value, 2) for name, value in run.items()} for run in runs]
    if as_json:
        print_json({"best_seconds": min(run["without_embedding"] for run in runs), "runs": runs})
        return
    table = Table("stage", *(f"run {n}, s" for n in range(1, repeat + 1)))
    for name in runs[0]:
        table.add_row(name, *(f"{run[name]:.2f}" for run in runs))
    Console().print(table)


def _ready(embedder: Embedder, rag: HippoRAG) -> ReadyEmbedder:
    """All texts of the graph with the vectors it holds."""
    rows = list(rag.database.stream("bench/read_vectors", namespace=rag.namespace, dimensions=embedder.dimensions))
    return ReadyEmbedder(embedder.name, [row["text"] for row in rows], _matrix([row["embedding"] for row in rows]))


def _matrix(vectors: Sequence[Any]) -> NDArray[np.float32]:
    return np.array([vector.to_native() for vector in vectors], dtype=np.float32)
