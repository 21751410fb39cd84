"""A retriever for LangChain. Needs the extra `langchain` (langchain-core alone)."""

from collections.abc import Sequence

from hipporag_neo4j.adapters.extras import missing_extra
from hipporag_neo4j.adapters.search import Search, passage_values, search_values
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.filters import Where
from hipporag_neo4j.hipporag import HippoRAG

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing_extra("langchain", "langchain-core", error) from error

from pydantic import ConfigDict

__all__ = ["HippoRAGRetriever"]


class HippoRAGRetriever(BaseRetriever):
    """LangChain's retriever over a `HippoRAG`: `retriever.invoke("Who …?")` gives Documents, best first.

    `k` is how many passages; `mode`, `looks`, `no_llm` and `where` are those of `HippoRAG.retrieve`. A call may have
    `k`, `entities` and a `where` of its own, which holds beside the one that is set: `retriever.invoke(question, k=3)`.

    A Document has the passage's id, and as metadata `id`, `title`, `score`, `metadata` (the passage's own), and what
    is the same for all of a search: `mode`, `no_llm`, `entities`, `seeds`, `notices` (what went otherwise than asked).
    Raises what `HippoRAG.retrieve` raises: an outage is an error, no empty list. `ainvoke` doesn't block
    the event loop: it awaits an `AsyncHippoRAG` that is given as `rag`, which is for `ainvoke` alone, and asks a
    `HippoRAG` in a thread, where a call that is cancelled goes on to its end. What is given stays open.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    rag: HippoRAG | AsyncHippoRAG
    mode: Mode = "hybrid"
    k: int = 10
    looks: int = 1
    no_llm: bool = False
    where: Where | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        where: Where | None = None,
        entities: Sequence[str] | None = None,
    ) -> list[Document]:
        return _documents(self._search(query, self.k if k is None else k, where=where, entities=entities))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        where: Where | None = None,
        entities: Sequence[str] | None = None,
    ) -> list[Document]:
        result = await self._search.later(query, self.k if k is None else k, where=where, entities=entities)
        return _documents(result)

    @property
    def _search(self) -> Search:
        return Search(self.rag, self.mode, self.looks, self.no_llm, self.where)


def _documents(result: RetrievalResult) -> list[Document]:
    of_search = search_values(result)
    return [
        Document(page_content=passage.text, id=passage.id, metadata=passage_values(passage) | of_search)
        for passage in result.passages
    ]
