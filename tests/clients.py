"""What tests run in processes of their own: real clients, which share nothing but the server."""

import random
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from typing import Any

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Row
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.indexing.prune import Prune
from hipporag_neo4j.retrieval.retrieve import options_of, retrieve
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Fact, passage
from tests.processes import CONTEXT

STARTING = 120.0
"""Seconds that processes may take to start on a busy machine."""


def in_processes(work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Results of `work` with a barrier for all of them and each of these arguments, in as many processes at once."""
    with CONTEXT.Manager() as manager:
        together = manager.Barrier(len(arguments))
        with CONTEXT.Pool(len(arguments)) as pool:
            return pool.starmap(work, [(together, *some) for some in arguments], chunksize=1)


class Counting(BlockingSources):
    """Sources that count statements, all their instances together."""

    seen: list[str] = []  # noqa: RUF012

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        self.seen.append(query)
        return await super().run(query, **parameters)


def ask_together(together: Barrier, settings: Settings, question: str, entity: str) -> tuple[list[str], int]:
    """Ids of what is found by a process that asks at the same moment as others, and how many projections it built."""
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        graph = rag._graph
        together.wait(STARTING)
        result = finish(
            retrieve(
                Counting(rag.database, rag.embedder, lambda: None),
                graph,
                question,
                mode="hipporag1",
                limit=10,
                entities=[entity],
                options=options_of(settings),
            )
        )
    return [p.id for p in result.passages], Counting.seen.count("projection/project_phrases")


NAMES = (
    "old mill",
    "old mills",
    "grand river bridge",
    "grand river bridges",
    "harbour",
    "town hall",
    "us",
    "north gate",
)


def write_together(together: Barrier, settings: Settings, number: int, runs: int) -> int:
    """Changes passages that other processes change, too: writes, deletes, and every fourth time prunes; its runs."""
    draw = random.Random(number)
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        indexer = Indexer(rag.database, rag.init(), rag.embedder)
        together.wait(STARTING)
        for run in range(runs):
            ids = [f"p{one}" for one in draw.sample(range(8), 4)]
            if run % 4 == 1:
                rag.delete(ids)
            else:
                given = [passage(id_, *random_facts(draw)) for id_ in ids]
                indexer.import_extracted(given, prune=Prune(lambda: 0) if run % 4 == 3 else None)
    return runs


def random_facts(draw: random.Random) -> list[Fact]:
    """One to three different facts."""
    facts = [(draw.choice(NAMES), draw.choice(("near", "is")), draw.choice(NAMES)) for _ in range(draw.randint(1, 3))]
    return list(dict.fromkeys(facts))
