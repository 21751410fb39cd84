"""Multi-hop retrieval for teams that run Neo4j: HippoRAG on Neo4j and Graph Data Science."""

from typing import TYPE_CHECKING, Any

from hipporag_neo4j import errors
from hipporag_neo4j.domain import AnswerResult, Passage, RankedPassage, RetrievalResult, Seed, Step
from hipporag_neo4j.explanation import Explanation

if TYPE_CHECKING:
    from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
    from hipporag_neo4j.facade.existing import ExistingGraph
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.settings import Settings

__all__ = [
    "AnswerResult",
    "AsyncHippoRAG",
    "ExistingGraph",
    "Explanation",
    "HippoRAG",
    "Passage",
    "RankedPassage",
    "RetrievalResult",
    "Seed",
    "Settings",
    "Step",
    "errors",
]


def __getattr__(name: str) -> Any:
    # The facade pulls in everything, the settings pydantic; the command line's help needs neither.
    if name == "HippoRAG":
        from hipporag_neo4j.hipporag import HippoRAG

        return HippoRAG
    if name == "AsyncHippoRAG":
        from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG

        return AsyncHippoRAG
    if name == "ExistingGraph":
        from hipporag_neo4j.facade.existing import ExistingGraph

        return ExistingGraph
    if name == "Settings":
        from hipporag_neo4j.settings import Settings

        return Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
