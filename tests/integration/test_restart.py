"""A client that stays while its server goes and comes back. Starting a server takes seconds, so this is one test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hipporag_neo4j.hipporag import HippoRAG
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, keep_all, passage, write
from tests.own_server import OwnServer

PASSAGES = [passage("1", ("ada", "knows", "bob")), passage("2", ("bob", "knows", "cleo"))]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnServer]:
    server = OwnServer(tmp_path, data_science=True)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def test_the_first_question_after_a_restart_needs_nothing(own: OwnServer) -> None:
    """Its connections are dead and its projection is gone."""
    with HippoRAG(own.settings("test_restart"), embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, PASSAGES)
        before = rag.retrieve("Who knows whom?", mode="hybrid", entities=["ada"], fact_filter=keep_all)
        assert {p.id for p in before.passages} == {"1", "2"}
        own.kill()
        own.start()
        after = rag.retrieve("Who knows whom?", mode="hybrid", entities=["ada"], fact_filter=keep_all)
    assert after.passages == before.passages
    assert (after.version, after.stale) == (before.version, False)
