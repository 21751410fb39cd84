"""The retriever for neo4j-graphrag, and its embedders and language models in this product, with the real library."""

from collections.abc import Callable
from typing import Any

import neo4j
import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import GraphMismatchError, InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.adapter_contract import QUESTION, RetrieverContract, Told
from tests.graphs import DIMENSIONS
from tests.libraries import need
from tests.llm_server import LLMServer

need("neo4j_graphrag")

from neo4j_graphrag.embeddings import OpenAIEmbeddings  # noqa: E402
from neo4j_graphrag.generation import GraphRAG  # noqa: E402
from neo4j_graphrag.llm import OpenAILLM  # noqa: E402
from neo4j_graphrag.types import RetrieverResultItem  # noqa: E402

from hipporag_neo4j.adapters.neo4j_graphrag import HippoRAGRetriever  # noqa: E402


def scripted(llm_server: LLMServer) -> OpenAILLM:
    """A language model of the library at the scripted endpoint."""
    return OpenAILLM("scripted", base_url=llm_server.url, api_key="key-for-tests")


class TestNeo4jGraphRAG(RetrieverContract):
    def ask(self, rag: HippoRAG, question: str, limit: int, **options: Any) -> list[Told]:
        result = HippoRAGRetriever(rag, **options).search(query_text=question, top_k=limit)
        assert result.metadata is not None
        assert result.metadata["__retriever"] == "HippoRAGRetriever"
        notices = result.metadata["notices"]
        return [
            Told(said["id"], item.content, said["title"], said["score"], said["metadata"], notices)
            for item in result.items
            if (said := item.metadata) is not None
        ]

    def test_it_works_in_a_pipeline(self, rag: HippoRAG, llm_server: LLMServer) -> None:
        llm_server.script.append("Ilse Corvane")
        pipeline = GraphRAG(HippoRAGRetriever(rag, no_llm=True), scripted(llm_server))
        result = pipeline.search(QUESTION, retriever_config={"top_k": 2}, return_context=True)
        assert result.answer == "Ilse Corvane"
        expected = rag.retrieve(QUESTION, no_llm=True, limit=2).passages
        (request,) = llm_server.chats
        for passage in expected:
            assert f"{passage.title}\n{passage.text}" in request.prompt
        assert QUESTION in request.prompt
        assert result.retriever_result is not None
        found = [item.metadata["id"] for item in result.retriever_result.items if item.metadata]
        assert found == [passage.id for passage in expected]

    def test_where_nothing_is_found_the_pipeline_says_so(self, rag: HippoRAG, llm_server: LLMServer) -> None:
        pipeline = GraphRAG(HippoRAGRetriever(rag, mode="bm25"), scripted(llm_server))
        result = pipeline.search("zzz", response_fallback="Nothing.", return_context=False)
        assert result.answer == "Nothing."
        assert not llm_server.chats

    def test_a_search_may_name_the_entities(self, rag: HippoRAG) -> None:
        result = HippoRAGRetriever(rag, mode="hipporag1").search(query_text=QUESTION, top_k=2, entities=["Pellick"])
        expected = rag.retrieve(QUESTION, mode="hipporag1", limit=2, entities=["Pellick"])
        assert [item.metadata["id"] for item in result.items if item.metadata] == [p.id for p in expected.passages]
        assert result.metadata is not None
        assert result.metadata["seeds"] == [{"phrase": "pellick", "weight": 1.0}]

    def test_filters_of_a_search_hold_beside_the_retrievers_own(self, rag: HippoRAG) -> None:
        retriever = HippoRAGRetriever(rag, mode="dense", where={"test_year": {">=": 2020}})
        with pytest.raises(InputError, match="filter on 'test_year', and the question gives another"):
            retriever.search(QUESTION, filters={"test_year": 2019})
        result = HippoRAGRetriever(rag, mode="dense").search(QUESTION, filters={"test_year": 2019})
        assert [item.metadata["id"] for item in result.items if item.metadata] == ["a"]

    def test_a_formatter_makes_the_items(self, rag: HippoRAG) -> None:
        def formatter(record: neo4j.Record) -> RetrieverResultItem:
            return RetrieverResultItem(content=f"{record['id']} {record['metadata']['test_year']}")

        result = HippoRAGRetriever(rag, mode="dense", result_formatter=formatter).search(QUESTION, 1)
        (passage,) = rag.retrieve(QUESTION, mode="dense", limit=1).passages
        assert [item.content for item in result.items] == [f"{passage.id} {passage.metadata['test_year']}"]

    def test_it_is_a_tool_with_its_parameters(self, rag: HippoRAG) -> None:
        tool = HippoRAGRetriever(rag, mode="hipporag1").convert_to_tool("find", "Finds passages.")
        described = tool.get_parameters()
        assert described["required"] == ["query_text"]
        kinds = {name: kind["type"] for name, kind in described["properties"].items()}
        assert kinds == {"query_text": "string", "top_k": "integer", "filters": "object", "entities": "array"}
        result = tool.execute(query_text=QUESTION, top_k=1, entities=["Oda Merrin"])
        assert result.items[0].metadata["id"] == "a"

    def test_the_driver_keeps_its_name(self, rag: HippoRAG, driver: neo4j.Driver) -> None:
        """The library's own retrievers give the driver another user agent."""
        before = driver._pool.pool_config.user_agent
        with HippoRAG(rag.settings, driver=driver, embedder=rag.embedder) as ours:
            HippoRAGRetriever(ours, mode="dense").search(QUESTION)
        assert driver._pool.pool_config.user_agent == before


@pytest.fixture
def foreign(settings: Settings, llm_server: LLMServer) -> Callable[..., HippoRAG]:
    """Opens a HippoRAG with models of neo4j-graphrag, as they are."""
    llm_server.dimensions = DIMENSIONS
    embedder = OpenAIEmbeddings("scripted-embeddings", base_url=llm_server.url, api_key="key-for-tests")
    return lambda **changes: HippoRAG(
        settings, **({"embedder": embedder, "language_model": scripted(llm_server)} | changes)
    )


def test_models_of_neo4j_graphrag_index_and_answer(foreign: Callable[..., HippoRAG], llm_server: LLMServer) -> None:
    with foreign() as rag:
        report = rag.index(
            [Passage("Oda Merrin taught Ilse Corvane.", id="a"), Passage("Ilse Corvane lives in Pellick.", id="b")]
        )
        assert (report.written, report.failed) == (2, 0)
        assert report.prompt_tokens > 0
        assert rag.status().graph.embedding_model == "scripted-embeddings"
        assert rag.status().facts == 2
        result = rag.retrieve("Who taught Ilse Corvane?", mode="hipporag1", limit=2)
        assert result.entities == ("Who", "Ilse Corvane")
        assert {passage.id for passage in result.passages} == {"a", "b"}
        llm_server.script += [
            '{"relevant_facts": [1], "named_entities": ["Ilse Corvane"]}',
            '{"explanation": "[1] says so.", "answer": "Oda Merrin", "passages": [1]}',
        ]
        assert rag.answer("Who taught Ilse Corvane?").answer == "Oda Merrin"


def test_another_embedder_is_refused_for_the_same_graph(foreign: Callable[..., HippoRAG]) -> None:
    with foreign() as rag:
        rag.index([Passage("Oda Merrin taught Ilse Corvane.", id="a")])
    other = OpenAIEmbeddings("another", base_url="http://127.0.0.1:9/v1", api_key="key-for-tests")
    with foreign(embedder=other) as rag, pytest.raises(GraphMismatchError, match="scripted-embeddings"):
        rag.retrieve("Who?", mode="dense")
