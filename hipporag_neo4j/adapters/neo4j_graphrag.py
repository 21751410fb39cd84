"""A retriever for neo4j-graphrag, and its GraphRAG pipeline. Needs the extra `neo4j-graphrag`.

The other way round needs no adapter: an embedder or a language model of neo4j-graphrag can be handed to `HippoRAG` as
it is (`embedding/foreign.py`, `llm/foreign.py`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hipporag_neo4j.adapters.extras import missing_extra
from hipporag_neo4j.adapters.search import Search, passage_values, search_values
from hipporag_neo4j.database import as_record
from hipporag_neo4j.domain import Mode
from hipporag_neo4j.filters import Where
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.text import passage_text

try:
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.tool import ArrayParameter, ObjectParameter, StringParameter
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem
except ImportError as error:
    raise missing_extra("neo4j-graphrag", "neo4j-graphrag", error) from error

if TYPE_CHECKING:
    import neo4j

__all__ = ["HippoRAGRetriever"]


class HippoRAGRetriever(Retriever):
    """neo4j-graphrag's retriever over a `HippoRAG`: `GraphRAG(HippoRAGRetriever(rag), llm).search("Who …?")`.

    `mode`, `looks`, `no_llm` and `where` are those of `HippoRAG.retrieve`. `result_formatter` makes a
    RetrieverResultItem of a record, as in neo4j-graphrag's own retrievers; a record holds `text`, `id`, `title`,
    `score` and `metadata` (the passage's own). Without one the content is title and text, and the item's metadata the
    rest.

    The `HippoRAG` connects, and stays open. Raises what `HippoRAG.retrieve` raises: an outage is an error, no empty
    result.
    """

    VERIFY_NEO4J_VERSION = False

    def __init__(
        self,
        rag: HippoRAG,
        *,
        mode: Mode = "hybrid",
        looks: int = 1,
        no_llm: bool = False,
        where: Where | None = None,
        result_formatter: "Callable[[neo4j.Record], RetrieverResultItem] | None" = None,
    ) -> None:
        # The base class wants a driver, to ask for the server's version and to give the driver another user agent; the
        # HippoRAG has connected, and its server knows it by its own name.
        self._search = Search(rag, mode, looks, no_llm, where)
        self.result_formatter = result_formatter

    def get_search_results(
        self,
        query_text: str,
        top_k: int = 5,
        filters: dict[str, Any] | None = None,
        entities: list[str] | None = None,
    ) -> RawSearchResult:
        """Find the passages that answer a question, best first, by a walk over the graph.

        Args:
            query_text (str): The question.
            top_k (int): How many passages, at most.
            filters (Optional[dict[str, Any]]): Metadata that passages must have, as `where` of `HippoRAG.retrieve`:
                `{"year": {">=": 2020}, "team": "x"}`. It holds beside the retriever's own.
            entities (Optional[list[str]]): The question's named entities, where they are known.

        Returns:
            RawSearchResult: A record for each passage; the metadata says how they were found, and in `notices` what
            went otherwise than asked.
        """
        result = self._search(query_text, top_k, where=filters, entities=entities)
        records = [as_record({"text": passage.text, **passage_values(passage)}) for passage in result.passages]
        return RawSearchResult(records=records, metadata=search_values(result))

    def default_record_formatter(self, record: "neo4j.Record") -> RetrieverResultItem:
        """Title and text as content, the rest as metadata."""
        rest = {name: record[name] for name in ("id", "title", "score", "metadata")}
        return RetrieverResultItem(content=passage_text(record["title"], record["text"]), metadata=rest)

    def get_parameters(self, parameter_descriptions: dict[str, str] | None = None) -> ObjectParameter:
        """The parameters of a search, for its use as a tool; entities are a list of texts."""
        parameters = super().get_parameters(parameter_descriptions)
        described = (parameter_descriptions or {}).get("entities", "The named entities of the question")
        entities = ArrayParameter(items=StringParameter(description="A name"), description=described)
        parameters.properties["entities"] = entities
        return parameters
