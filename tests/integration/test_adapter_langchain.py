"""The retriever for LangChain, with the real library."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.adapter_contract import PASSAGES, QUESTION, RetrieverContract, Told
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, write
from tests.libraries import need

need("langchain_core")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import RunnableLambda, RunnablePassthrough  # noqa: E402

from hipporag_neo4j.adapters.langchain import HippoRAGRetriever  # noqa: E402


def told(document: Document) -> Told:
    """What a Document tells of a passage."""
    said = document.metadata
    assert document.id == said["id"]
    return Told(said["id"], document.page_content, said["title"], said["score"], said["metadata"], said["notices"])


class TestLangChain(RetrieverContract):
    def ask(self, rag: HippoRAG, question: str, limit: int, **options: Any) -> list[Told]:
        return [told(document) for document in HippoRAGRetriever(rag=rag, k=limit, **options).invoke(question)]

    def test_an_asynchronous_client_is_awaited(self, rag: HippoRAG) -> None:
        async def ask() -> Any:
            async with AsyncHippoRAG(rag.settings, embedder=rag.embedder) as client:
                retriever = HippoRAGRetriever(rag=client, k=3, mode="dense")
                with pytest.raises(InputError, match="has to be awaited"):
                    retriever.invoke(QUESTION)
                return await retriever.ainvoke(QUESTION)

        assert asyncio.run(ask()) == HippoRAGRetriever(rag=rag, k=3, mode="dense").invoke(QUESTION)

    def test_asynchronously_it_gives_the_same(self, rag: HippoRAG) -> None:
        retriever = HippoRAGRetriever(rag=rag, k=3, mode="dense")
        assert asyncio.run(retriever.ainvoke(QUESTION)) == retriever.invoke(QUESTION)
        several = asyncio.run(retriever.abatch([QUESTION, "Pellick"], k=1))
        assert [len(documents) for documents in several] == [1, 1]

    def test_a_call_may_have_its_own_number_and_entities(self, rag: HippoRAG) -> None:
        retriever = HippoRAGRetriever(rag=rag, mode="hipporag1", k=3)
        documents = retriever.invoke(QUESTION, k=2, entities=["Pellick", "Oda Merrin"])
        expected = rag.retrieve(QUESTION, mode="hipporag1", limit=2, entities=["Pellick", "Oda Merrin"])
        assert [document.id for document in documents] == [passage.id for passage in expected.passages]
        assert documents[0].metadata["entities"] == ["Pellick", "Oda Merrin"]
        assert {seed["phrase"] for seed in documents[0].metadata["seeds"]} == {"pellick", "oda merrin"}

    def test_it_works_in_a_chain(self, rag: HippoRAG) -> None:
        asked: list[str] = []

        def answer(prompt: Any) -> Any:
            asked.append(prompt.to_string())
            return FakeListChatModel(responses=["Ilse Corvane"]).invoke(prompt)

        def together(documents: list[Document]) -> str:
            return "\n".join(document.page_content for document in documents)

        retriever = HippoRAGRetriever(rag=rag, mode="hybrid", no_llm=True, k=2)
        chain = (
            {"context": retriever | together, "question": RunnablePassthrough()}
            | ChatPromptTemplate.from_template("{context}\n\n{question}")
            | RunnableLambda(answer)
            | StrOutputParser()
        )
        assert chain.invoke(QUESTION) == "Ilse Corvane"
        (prompt,) = asked
        for passage in rag.retrieve(QUESTION, no_llm=True, limit=2).passages:
            assert passage.text in prompt
        assert QUESTION in prompt


def test_what_it_does_not_know_is_refused(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            HippoRAGRetriever(rag=rag, limit=3)  # type: ignore[call-arg]
        with pytest.raises(ValidationError, match="Input should be 'hipporag1'"):
            HippoRAGRetriever(rag=rag, mode="fast")
        with pytest.raises(InputError, match="filter on 'year', and the question gives another"):
            HippoRAGRetriever(rag=rag, where={"year": 2020}).invoke(QUESTION, where={"year": {">": 2019}})


def test_asynchronously_the_loop_goes_on(settings: Settings) -> None:
    class SlowEmbedder(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            time.sleep(0.3)
            return super().embed(texts)

    async def count_ticks(retriever: HippoRAGRetriever) -> int:
        asking = asyncio.create_task(retriever.ainvoke(QUESTION))
        ticks = 0
        while not asking.done():
            await asyncio.sleep(0.01)
            ticks += 1
        assert await asking
        return ticks

    with HippoRAG(settings, embedder=SlowEmbedder(DIMENSIONS)) as rag:
        write(rag, PASSAGES)
        assert asyncio.run(count_ticks(HippoRAGRetriever(rag=rag, mode="dense"))) >= 10
