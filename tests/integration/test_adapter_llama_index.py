"""The retriever for LlamaIndex, with the real library."""

import asyncio
from typing import Any

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.hipporag import HippoRAG
from tests.adapter_contract import QUESTION, RetrieverContract, Told
from tests.libraries import need

need("llama_index.core")

from llama_index.core.llms import MockLLM  # noqa: E402
from llama_index.core.query_engine import RetrieverQueryEngine  # noqa: E402
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle  # noqa: E402

from hipporag_neo4j.adapters.llama_index import HippoRAGRetriever  # noqa: E402


def told(node: NodeWithScore) -> Told:
    """What a node tells of a passage."""
    said = node.metadata
    assert node.node_id == said["id"]
    assert node.score == said["score"]
    return Told(said["id"], node.text, said["title"], said["score"], said["metadata"], said["notices"])


class TestLlamaIndex(RetrieverContract):
    def ask(self, rag: HippoRAG, question: str, limit: int, **options: Any) -> list[Told]:
        return [told(node) for node in HippoRAGRetriever(rag, similarity_top_k=limit, **options).retrieve(question)]

    def test_an_asynchronous_client_is_awaited(self, rag: HippoRAG) -> None:
        async def ask() -> Any:
            async with AsyncHippoRAG(rag.settings, embedder=rag.embedder) as client:
                retriever = HippoRAGRetriever(client, similarity_top_k=3, mode="dense")
                with pytest.raises(InputError, match="has to be awaited"):
                    retriever.retrieve(QUESTION)
                return await retriever.aretrieve(QueryBundle(QUESTION))

        assert asyncio.run(ask()) == HippoRAGRetriever(rag, similarity_top_k=3, mode="dense").retrieve(QUESTION)

    def test_asynchronously_it_gives_the_same(self, rag: HippoRAG) -> None:
        retriever = HippoRAGRetriever(rag, similarity_top_k=3, mode="dense")
        assert asyncio.run(retriever.aretrieve(QueryBundle(QUESTION))) == retriever.retrieve(QUESTION)

    def test_a_language_model_is_shown_title_and_text_alone(self, rag: HippoRAG) -> None:
        nodes = HippoRAGRetriever(rag, similarity_top_k=4, mode="dense").retrieve(QUESTION)
        shown = {node.node_id: node.get_content(MetadataMode.LLM).split("\n\n") for node in nodes}
        assert shown["a"] == ["title: Oda Merrin", "Oda Merrin taught Ilse Corvane"]
        assert shown["c"] == ["Runa Estermont lives in Carrowick"]

    def test_it_works_in_a_query_engine(self, rag: HippoRAG) -> None:
        retriever = HippoRAGRetriever(rag, similarity_top_k=2, no_llm=True)
        engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
        response = engine.query(QUESTION)
        expected = rag.retrieve(QUESTION, no_llm=True, limit=2).passages
        assert [node.node_id for node in response.source_nodes] == [passage.id for passage in expected]
        for passage in expected:
            assert passage.text in str(response)  # it repeats its prompt
        assert QUESTION in str(response)
