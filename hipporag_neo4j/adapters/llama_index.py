"""A retriever for LlamaIndex. Needs the extra `llama-index` (llama-index-core alone)."""

from typing import Any

from hipporag_neo4j.adapters.extras import missing_extra
from hipporag_neo4j.adapters.search import Search, passage_values, search_values
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.filters import Where
from hipporag_neo4j.hipporag import HippoRAG

try:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing_extra("llama-index", "llama-index-core", error) from error

__all__ = ["HippoRAGRetriever"]


class HippoRAGRetriever(BaseRetriever):
    """LlamaIndex's retriever over a `HippoRAG`: `retriever.retrieve("Who …?")` gives NodeWithScore, best first.

    `similarity_top_k` is how many passages; `mode`, `looks`, `no_llm` and `where` are those of `HippoRAG.retrieve`.
    The question is the query's text; an embedding that a QueryBundle brings is not used.

    A node has the passage's id, and as metadata `id`, `title`, `score`, `metadata` (the passage's own), and what is the
    same for all of a search: `mode`, `no_llm`, `entities`, `seeds`, `notices` (what went otherwise than asked). Of
    these a language model is shown the title alone. Raises what `HippoRAG.retrieve` raises: an outage is an error, no
    empty list. `aretrieve` doesn't block the event loop: it awaits an `AsyncHippoRAG` that is given as `rag`, which is
    for `aretrieve` alone, and asks a `HippoRAG` in a thread. What is given stays open.
    """

    def __init__(
        self,
        rag: HippoRAG | AsyncHippoRAG,
        *,
        mode: Mode = "hybrid",
        similarity_top_k: int = 10,
        looks: int = 1,
        no_llm: bool = False,
        where: Where | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._search = Search(rag, mode, looks, no_llm, where)
        self._limit = similarity_top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._search(query_bundle.query_str, self._limit))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(await self._search.later(query_bundle.query_str, self._limit))


def _nodes(result: RetrievalResult) -> list[NodeWithScore]:
    of_search = search_values(result)
    return [
        NodeWithScore(node=_node(passage.id, passage.text, passage_values(passage) | of_search), score=passage.score)
        for passage in result.passages
    ]


def _node(id_: str, text: str, metadata: dict[str, Any]) -> TextNode:
    shown = {"title"} if metadata["title"] else set()
    hidden = sorted(metadata.keys() - shown)
    return TextNode(
        id_=id_,
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
