"""A client that writes: it adds, changes and deletes passages, and keeps what each of its transactions did."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, TypeVar, cast

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.database import Database, Row, Transaction
from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.errors import HippoRAGError
from hipporag_neo4j.indexing.pipeline import Indexer
from scripts._load.world import STARTING, changed_passage, ids_of
from tests.embedders import HashEmbedder

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class WriteTask:
    """What a writing process does for so many `seconds`; after a run it rests for about `pause` seconds."""

    settings: Settings
    dimensions: int
    folder: Path
    number: int
    writers: int
    seconds: float
    pause: float


class RecordingDatabase(Database):
    """Keeps what each write transaction did, with the version that it raised the graph to; one JSON object a line."""

    path: Path
    facts: Mapping[str, list[list[str]]]
    lock = threading.Lock()

    def write(self, name: str, work: Callable[[Transaction], ResultT], *, limited: bool = True) -> ResultT:
        """As the database's own."""
        event: dict[str, Any] = {}

        def recorded(tx: Transaction) -> ResultT:
            event.clear()
            return work(cast(Transaction, _Recorder(tx, event, self.facts)))

        result = super().write(name, recorded, limited=limited)
        if "version" in event:
            with self.lock, self.path.open("a") as file:
                file.write(json.dumps({"statement": name, **event}) + "\n")
        return result


class _Recorder:
    def __init__(self, tx: Transaction, event: dict[str, Any], facts: Mapping[str, list[list[str]]]) -> None:
        self._tx = tx
        self._event = event
        self._facts = facts

    def run(self, query: str, **parameters: Any) -> list[Row]:
        rows = self._tx.run(query, **parameters)
        match query:
            case "indexing/raise_version":
                self._event["version"] = rows[0]["version"]
            case "indexing/write_passages":
                ids = [row["properties"]["id"] for row in parameters["rows"]]
                self._event["written"] = [[id_, self._facts[id_]] for id_ in ids]
            case "indexing/mark_deleted":
                self._event["deleted"] = parameters["keys"]
            case "indexing/merge_synonyms":
                self._event["synonyms"] = [[row["source"], row["target"], row["score"]] for row in parameters["rows"]]
            case "indexing/delete_orphans":
                self._event["orphans"] = rows[0]["phrases"]
        return rows


class Writer:
    """Writes passages through a recording database."""

    def __init__(self, rag: HippoRAG, path: Path) -> None:
        own = rag.database
        database = RecordingDatabase(own._driver, name=own._name, timeout=own._timeout)
        database.path = path
        self._facts: dict[str, list[list[str]]] = {}
        database.facts = self._facts
        rag.database = database
        self._rag = rag

    def write(self, passages: Iterable[ExtractedPassage]) -> None:
        """Index passages with ready triples."""
        given = list(passages)
        for one in given:
            triples = one.extraction.triples
            self._facts[str(one.passage.id)] = [[t.subject, t.predicate, t.object] for t in triples]
        Indexer(self._rag.database, self._rag.init(), self._rag.embedder).import_extracted(given)


def write_for(task: WriteTask, ready: Barrier) -> None:
    """What a writing process does."""
    draw = random.Random(task.number)
    ids = ids_of(task.number, task.writers)
    runs, errors = 0, []
    with HippoRAG(task.settings, embedder=HashEmbedder(task.dimensions)) as rag:
        writer = Writer(rag, task.folder / f"commits-{task.number}.jsonl")
        ready.wait(STARTING)
        end = time.time() + task.seconds
        while time.time() < end:
            some = draw.sample(ids, draw.randrange(1, 5))
            try:
                if draw.random() < 0.3:
                    rag.delete(some)
                else:
                    writer.write(changed_passage(id_, draw) for id_ in some)
            except HippoRAGError as error:
                errors.append(f"writer {task.number}: {type(error).__name__}: {error}")
            runs += 1
            time.sleep(task.pause * (0.5 + draw.random()))
    (task.folder / f"writer-{task.number}.json").write_text(json.dumps({"runs": runs, "errors": errors}))
