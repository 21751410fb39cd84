"""A source beside the graph: what a run would do is said before, costs nothing, and is what the run then does."""

from collections.abc import Callable
from dataclasses import asdict

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import EmbeddingError, GraphMismatchError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.compare import Comparison, ToWrite
from hipporag_neo4j.settings import Settings
from tests.embedders import CountingEmbedder, HashEmbedder
from tests.graphs import DIMENSIONS
from tests.llm_server import LLMServer, extract_from_prompt

SOURCE = [Passage(f"Ada met {name} in Lund.", id=name) for name in ("Bob", "Cleo", "Dora", "Emil")]


@pytest.fixture
def open_rag(settings: Settings, llm_server: LLMServer) -> Callable[..., HippoRAG]:
    """Opens the test's namespace with the scripted model."""

    def open_it(embedder: HashEmbedder | None = None, **changes: object) -> HippoRAG:
        model = {"openai_base_url": llm_server.url, "llm_model": "scripted", "llm_retries": 0, "llm_concurrency": 1}
        own = settings.model_copy(update={**model, **changes})
        return HippoRAG(own, embedder=embedder or HashEmbedder(DIMENSIONS))

    return open_it


def test_what_is_new_changed_failed_and_missing(open_rag: Callable[..., HippoRAG], llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: "I'd rather not." if "Cleo" in request.prompt else extract_from_prompt(request)
    with open_rag() as rag:
        assert rag.compare(SOURCE) == Comparison(passages=4, new=4, extracted=0, calls=8)
        rag.index(SOURCE[:3])
    llm_server.respond = extract_from_prompt
    llm_server.requests.clear()
    embedder = CountingEmbedder(DIMENSIONS)
    with open_rag(embedder) as rag:
        given = [SOURCE[1], Passage("Ada met Dora in Malmö.", id="Dora"), SOURCE[3]]
        heard: list[ToWrite] = []
        found = rag.compare(given, on_passage=heard.append)
        assert found == Comparison(passages=3, new=1, changed=1, failed=1, extracted=0, calls=6, missing=1)
        assert [(one.passage.id, one.state) for one in heard] == [
            ("Cleo", "failed"),
            ("Dora", "changed"),
            ("Emil", "new"),
        ]
        assert (llm_server.requests, embedder.texts) == ([], [])

        report = rag.index(given, prune=True)
        assert (report.written, report.unchanged, report.pruned) == (found.to_write, found.unchanged, found.missing)
        assert len(llm_server.chats) == found.calls
        assert rag.compare(given) == Comparison(passages=3, unchanged=3, extracted=0, calls=0)


def test_what_was_read_in_a_run_that_broke_off_is_paid_for(
    open_rag: Callable[..., HippoRAG], llm_server: LLMServer
) -> None:
    class Gone(HashEmbedder):
        def embed(self, texts: object) -> object:  # type: ignore[override]  # never gets there
            raise EmbeddingError("The endpoint is gone.")

    with open_rag(Gone(DIMENSIONS)) as rag, pytest.raises(EmbeddingError):
        rag.index(SOURCE[:2])
    llm_server.requests.clear()
    with open_rag() as rag:
        heard: list[ToWrite] = []
        found = rag.compare(SOURCE, on_passage=heard.append)
        assert found == Comparison(passages=4, new=4, extracted=2, calls=4)
        assert [one.reading.entities for one in heard if one.reading] == [
            ("Ada", "Bob", "Lund"),
            ("Ada", "Cleo", "Lund"),
            None,
            None,
        ]
        assert rag.index(SOURCE).written == 4
        assert len(llm_server.chats) == 4

        another = rag.settings.model_copy(update={"llm_model": "another"})
        with HippoRAG(another, embedder=HashEmbedder(DIMENSIONS)) as other:
            changed = [Passage(passage.text, id=passage.id, title="!") for passage in SOURCE]
            assert other.compare(changed).calls == 8
    with open_rag(llm_model=None) as rag:
        found = rag.compare(SOURCE)
        assert (found.unchanged, found.extracted, found.calls) == (4, None, None)


def test_half_of_what_is_read_is_one_call(open_rag: Callable[..., HippoRAG], llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: "No." if "<entities>" in request.prompt else extract_from_prompt(request)
    with open_rag() as rag:
        rag.index(SOURCE[:1])
        assert asdict(rag.compare(SOURCE[:1])) == asdict(Comparison(passages=1, failed=1, extracted=0, calls=1))


def test_old_parts_and_what_a_run_left_over(open_rag: Callable[..., HippoRAG]) -> None:
    long = Passage(" ".join(f"Ada met Bob{n} in Lund, where it rained all day long." for n in range(40)), id="long")
    with open_rag(passage_size=300) as rag:
        parts = rag.index([long]).written
        assert parts > 3
    with open_rag() as rag:
        short = Passage("Ada met Bob in Lund.", id="long")
        found = rag.compare([short])
        assert (found.new, found.stale, found.missing) == (1, parts, 0)

        rag.database.run("indexing/raise_version", namespace=rag.namespace)
        assert rag.compare([short]).unpublished
        assert not found.unpublished


def test_a_graph_that_a_run_would_refuse_is_refused(open_rag: Callable[..., HippoRAG]) -> None:
    with open_rag() as rag:
        rag.init()
    with (
        open_rag(HashEmbedder(DIMENSIONS, "another")) as rag,
        pytest.raises(GraphMismatchError, match="embedding model"),
    ):
        rag.compare(SOURCE)
    with open_rag(normalisation="paper") as rag, pytest.raises(GraphMismatchError, match="normalisation"):
        rag.compare(SOURCE)
