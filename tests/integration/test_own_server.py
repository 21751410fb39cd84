"""A server of this file's own, without Graph Data Science, that is killed while it is written to."""

import shutil
import signal
from collections.abc import Iterator, Sequence

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.doctor import examine
from hipporag_neo4j.errors import ServerUnavailableError, UnsupportedServerError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import pipeline
from hipporag_neo4j.local_server.password import USERNAME
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, assert_same, expected_content, passage, read_content, write
from tests.llm_server import LLMServer
from tests.own_server import OwnServer
from tests.servers import open_driver

PASSAGES = [
    passage(f"p{i}", (f"grand river bridge {i}", "near", f"town {i}"), (f"town {i}", "near", f"town {i + 1}"))
    for i in range(12)
]


class KillingEmbedder(HashEmbedder):
    """Kills a server when it was asked for more than `texts` texts, of the 75 that the passages hold."""

    def __init__(self, server: OwnServer, texts: int) -> None:
        super().__init__(DIMENSIONS)
        self._server = server
        self._left = texts

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        before, self._left = self._left, self._left - len(texts)
        if before >= 0 > self._left:
            self._server.kill()
        return super().embed(texts)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    folder = tmp_path_factory.mktemp("own")
    server = OwnServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
    shutil.rmtree(folder)


def test_without_graph_data_science_the_walk_says_so_and_the_rest_works(own: OwnServer) -> None:
    with HippoRAG(own.settings("test_walk"), embedder=HashEmbedder(DIMENSIONS)) as rag:
        assert write(rag, PASSAGES).written == 12
        for mode in ("dense", "bm25"):
            assert rag.retrieve("grand river bridge", mode=mode, limit=3).passages
        with pytest.raises(UnsupportedServerError, match=r"Graph Data Science is missing.*docker/compose\.yaml"):
            rag.retrieve("Which town?", mode="hipporag1", entities=["town 3"])


def test_without_graph_data_science_the_doctor_names_it_and_goes_on(own: OwnServer, llm_server: LLMServer) -> None:
    llm_server.dimensions = DIMENSIONS
    models = {"embedding_provider": "openai", "embedding_model": "scripted", "openai_base_url": llm_server.url}
    findings = {f.check: f for f in examine(own.settings("test_nothing_here").model_copy(update=models))}
    assert findings["graph data science"].level == "problem"
    assert "Graph Data Science is missing" in findings["graph data science"].found
    assert "hipporag-neo4j server start" in findings["graph data science"].found
    assert [f.check for f in findings.values() if f.level == "problem"] == ["graph data science"]
    assert findings["weighted walk"].level == findings["memory"].level == "skipped"
    assert findings["neo4j"].level == findings["other data"].level == "ok"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_server_that_is_killed_while_it_is_written_to(own: OwnServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written stays; with the server back, the same run goes on from there to the same graph."""
    monkeypatch.setattr(pipeline, "_WRITTEN_AT_ONCE", 2)
    settings = own.settings("test_killed")
    secret = settings.neo4j_password
    assert secret is not None

    # The product's own connection would try for 30 seconds.
    with neo4j.GraphDatabase.driver(
        own.address.uri,
        auth=(USERNAME, secret.get_secret_value()),
        max_transaction_retry_time=1,
        notifications_min_severity="OFF",
    ) as driver:
        rag = HippoRAG(settings, driver=driver, embedder=KillingEmbedder(own, texts=40))
        with rag, pytest.raises(ServerUnavailableError, match=r"what was written stays.*goes on from there"):
            write(rag, PASSAGES)
    own.start()
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag, open_driver(own.address) as driver:
        between = rag.status()
        assert 0 < between.passages < 12
        assert between.passages % 2 == 0
        assert between.interrupted
        report = write(rag, PASSAGES)
        assert (report.unchanged, report.written) == (between.passages, 12 - between.passages)
        assert not rag.status().interrupted
        expected = expected_content(PASSAGES, HashEmbedder(DIMENSIONS), normalisation="unicode", threshold=0.8)
        assert_same(read_content(driver, own.address, settings.namespace), expected)
