"""What the retrievers of all adapters share: how they ask, and what they tell of a passage and of a search."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hipporag_neo4j.domain import Mode, RankedPassage, RetrievalResult
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.facade.asynchronous import AsyncHippoRAG
from hipporag_neo4j.filters import Where, check_form
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.notices import search_notices


@dataclass(frozen=True, slots=True)
class Search:
    """How a retriever asks: what `HippoRAG.retrieve` takes, set once."""

    rag: HippoRAG | AsyncHippoRAG
    mode: Mode = "hybrid"
    looks: int = 1
    no_llm: bool = False
    where: Where | None = None

    def __call__(
        self, question: str, limit: int, *, where: Where | None = None, entities: Sequence[str] | None = None
    ) -> RetrievalResult:
        """The `limit` best passages for a question. A further filter holds beside the one that is set.

        Raises what `HippoRAG.retrieve` raises, and InputError where both filters speak of the same metadata, or the
        retriever has an AsyncHippoRAG.
        """
        if isinstance(self.rag, AsyncHippoRAG):
            raise InputError(
                "The retriever was made with an AsyncHippoRAG, which has to be awaited. Call its asynchronous method, "
                "or make it with a HippoRAG."
            )
        return self.rag.retrieve(question, limit=limit, entities=entities, **self._options(where))

    async def later(
        self, question: str, limit: int, *, where: Where | None = None, entities: Sequence[str] | None = None
    ) -> RetrievalResult:
        """The same for an event loop: by an AsyncHippoRAG, else in a thread, where a cancelled call goes on."""
        if isinstance(self.rag, AsyncHippoRAG):
            return await self.rag.retrieve(question, limit=limit, entities=entities, **self._options(where))
        return await asyncio.to_thread(self, question, limit, where=where, entities=entities)

    def _options(self, where: Where | None) -> dict[str, Any]:
        return {"mode": self.mode, "looks": self.looks, "no_llm": self.no_llm, "where": both(self.where, where)}


def both(one: Where | None, other: Where | None) -> Where | None:
    """A filter that asks for what both ask. Raises InputError where both speak of the same metadata, or one is none."""
    if one is None or other is None:
        return other if one is None else one
    check_form(one)
    check_form(other)
    if twice := sorted(str(name) for name in one.keys() & other.keys()):
        raise InputError(
            f"The retriever was made with a filter on {', '.join(map(repr, twice))}, and the question gives another. "
            "Give one of the two, or make a retriever without."
        )
    return {**one, **other}


def passage_values(passage: RankedPassage) -> dict[str, Any]:
    """What is told of a passage beside its text; its own metadata stays apart, so that no name is taken twice."""
    return {
        "id": passage.id,
        "title": passage.title,
        "score": passage.score,
        "metadata": dict(passage.metadata),
    }


def search_values(result: RetrievalResult) -> dict[str, Any]:
    """What is told of a search as a whole. `notices` say what went otherwise than asked: a fallback is one."""
    return {
        "mode": result.mode,
        "no_llm": result.no_llm,
        "entities": list(result.entities),
        "seeds": [{"phrase": seed.phrase, "weight": seed.weight} for seed in result.seeds],
        "notices": search_notices(result),
    }
