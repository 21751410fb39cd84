"""Retrieval over graphs that others made: as neo4j-graphrag's pipeline builds one."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from hipporag_neo4j.facade.existing import ExistingGraph
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.existing_graphs import CHUNKS, PIPELINE, Run, everything, pipeline_graph
from tests.graphs import DIMENSIONS
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

QUESTION = "Where does the person who learned from Oda Merrin live?"


@pytest.fixture(scope="module")
def pipeline(driver: "neo4j.Driver", server: TestServer) -> Iterator[Run]:
    """The pipeline's graph, for all tests of this module."""
    with pipeline_graph(driver, server, HashEmbedder(DIMENSIONS)) as run:
        yield run


@pytest.fixture
def over(module_settings: Settings, pipeline: Run) -> Iterator[Callable[..., ExistingGraph]]:
    """Opens the pipeline's graph, with parts of its file changed."""
    opened: list[ExistingGraph] = []

    def open_it(**changes: Any) -> ExistingGraph:
        opened.append(ExistingGraph(PIPELINE | changes, module_settings, embedder=HashEmbedder(DIMENSIONS)))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()


def texts(result: Any) -> list[str]:
    return [passage.text for passage in result.passages]


def test_dense_finds_the_nearest_chunk(over: Callable[..., ExistingGraph]) -> None:
    result = over().retrieve("Runa Estermont sells salt", mode="dense", limit=2)
    assert texts(result)[0] == CHUNKS[2]
    assert result.passages[0].metadata == {"index": 2}


def test_hipporag1_walks_to_what_shares_no_word(over: Callable[..., ExistingGraph]) -> None:
    result = over().retrieve(QUESTION, mode="hipporag1", entities=["Oda Merrin"], limit=4)
    assert [seed.phrase for seed in result.seeds] == ["Oda Merrin"]
    assert texts(result)[:2] == [CHUNKS[0], CHUNKS[1]]
    assert result.fallback is None
    assert not result.stale


def test_check(over: Callable[..., ExistingGraph]) -> None:
    found = over().check()
    print(found)
    assert not found.problems
