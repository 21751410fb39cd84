"""A client that reads: threads that ask questions in all modes, and keep what they were answered."""

import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from hipporag_neo4j import HippoRAG, RetrievalResult, Settings
from hipporag_neo4j.errors import HippoRAGError
from scripts._load.world import MODES, QUESTIONS, STARTING, keep_some
from tests.embedders import HashEmbedder


@dataclass(frozen=True, slots=True)
class ReadTask:
    """What a reading process does for so many `seconds`, with so many `threads` on one client."""

    settings: Settings
    dimensions: int
    folder: Path
    number: int
    threads: int
    seconds: float


def read_for(task: ReadTask, ready: Barrier) -> None:
    """What a reading process does."""
    with (
        HippoRAG(task.settings, embedder=HashEmbedder(task.dimensions)) as rag,
        ThreadPoolExecutor(task.threads) as pool,
    ):
        ready.wait(STARTING)
        end = time.time() + task.seconds
        list(pool.map(lambda thread: _read(rag, task, thread, end), range(task.threads)))


def _read(rag: HippoRAG, task: ReadTask, thread: int, end: float) -> None:
    draw = random.Random(1000 * task.number + thread)
    with (task.folder / f"answers-{task.number}-{thread}.jsonl").open("w") as file:
        for answer in _answers(rag, draw, end):
            file.write(json.dumps(answer) + "\n")


def _answers(rag: HippoRAG, draw: random.Random, end: float) -> Iterator[dict[str, Any]]:
    while time.time() < end:
        mode, number = draw.choice(MODES), draw.randrange(len(QUESTIONS))
        question = QUESTIONS[number]
        begin = time.perf_counter()
        asked: dict[str, Any] = {"mode": mode, "question": number}
        try:
            result = rag.retrieve(question.text, mode=mode, entities=question.entities, fact_filter=keep_some)
        except HippoRAGError as error:
            yield asked | {"error": f"{type(error).__name__}: {error}"}
        else:
            yield asked | {"ms": 1000 * (time.perf_counter() - begin)} | answer_values(result)


def answer_values(result: RetrievalResult) -> dict[str, Any]:
    """An answer as plain values."""
    return {
        "version": result.version,
        "stale": result.stale,
        "fallback": result.fallback,
        "passages": [[passage.id, passage.score] for passage in result.passages],
        "seeds": {seed.phrase: seed.weight for seed in result.seeds},
        "shown": [[f.subject, f.predicate, f.object, f.score] for look in result.looks for f in look.shown],
    }
