"""A client that does one piece of work in a process of its own, so that it can be killed in the middle of it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Literal

import neo4j

from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.errors import HippoRAGError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms, pipeline, publish, relink_synonyms, take_back
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.indexing.prune import Prune
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS
from tests.processes import CONTEXT

Kind = Literal["import", "prune", "delete", "index", "retry", "relink", "init", "drop"]


@dataclass(frozen=True)
class Task:
    """What to do in which namespace. `address`: where the server is, the proxy's where the connection is watched."""

    kind: Kind
    settings: Settings
    address: str
    extracted: Sequence[ExtractedPassage] = ()
    passages: Sequence[Passage] = ()
    ids: Sequence[str] = ()
    threshold: float = 0.8


def start(task: Task) -> tuple[ForkServerProcess, Connection]:
    """Begin with it in a new process, which says at its end what went wrong, or None."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_work, args=(task, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def hear(process: ForkServerProcess, pipe: Connection) -> str | None:
    """What a process that has ended said: None, an error, or `killed` where it said nothing."""
    try:
        said: str | None = pipe.recv()
    except EOFError:
        said = "killed"
    pipe.close()
    process.join()
    return said


def _work(task: Task, outcome: Connection) -> None:
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)  # it tells of each connection that breaks
    # Small batches, so that little work has many transactions.
    pipeline._WRITTEN_AT_ONCE = pipeline._WRITTEN_AT_ONCE_FROM_LLM = 2
    link_synonyms._WRITE_ROWS = relink_synonyms._ROWS = 3
    take_back._AT_ONCE = publish._DELETED_AT_ONCE = 2
    secret = task.settings.neo4j_password
    # The product's own connection would try for 30 seconds.
    driver = neo4j.GraphDatabase.driver(
        task.address,
        auth=(task.settings.neo4j_username, secret.get_secret_value() if secret else ""),
        max_transaction_retry_time=1,
        notifications_min_severity="OFF",
    )
    try:
        with driver, HippoRAG(task.settings, driver=driver, embedder=HashEmbedder(DIMENSIONS)) as rag:
            do(rag, task)
    except HippoRAGError as error:
        outcome.send(f"{type(error).__name__}: {error}")
    else:
        outcome.send(None)


def do(rag: HippoRAG, task: Task) -> None:
    """The work itself."""
    if task.kind == "init":
        rag.init()
    elif task.kind in ("import", "prune"):
        prune = Prune(left_out=lambda: 0, force=True) if task.kind == "prune" else None
        Indexer(rag.database, rag.init(), rag.embedder).import_extracted(task.extracted, prune=prune)
    elif task.kind == "delete":
        rag.delete(task.ids)
    elif task.kind == "index":
        rag.index(task.passages)
    elif task.kind == "retry":
        rag.retry_failed()
    elif task.kind == "relink":
        rag.set_synonym_threshold(task.threshold)
    else:
        rag.drop()
