"""What retrieval asks of the outside: rows, vectors, entities. One logic serves blocking and asynchronous clients.

The modes are coroutines over `Sources`. `BlockingSources` answers at once, so a coroutine over it never waits and
`finish` runs it to its end without an event loop.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.answers import EntitiesAnswer, FactsAnswer, FurtherFactsAnswer
from hipporag_neo4j.coroutines import BLOCKING, ON_LOOP, Waiting, finish
from hipporag_neo4j.database import AsyncDatabase, Database, Row
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.errors import LLMAccessError, LLMError, NoLanguageModelError, UnreadableAnswerError
from hipporag_neo4j.llm import LanguageModel, ask
from hipporag_neo4j.llm.metered import MeteredModel
from hipporag_neo4j.prompts import filter_messages, question_entity_messages
from hipporag_neo4j.retrieval.filter_facts import FactFilter, Triplet, Verdict, check_positions, keep_numbers

ResultT = TypeVar("ResultT")
_NULLABLE = {"row", "lowest"}
"""Columns that may be empty though nothing was deleted."""
CostT = TypeVar("CostT", "NamedEntities", Verdict)


@dataclass(frozen=True, slots=True)
class NamedEntities:
    """What a language model says that a question names, and what that cost; see Verdict."""

    entities: tuple[str, ...]
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0


class Sources(Protocol):
    """Where retrieval gets what it works with."""

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody can tell which facts bear on a question, or else what it names."""

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (len(texts), dimensions)."""

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question, from a language model. Raises ConfigurationError where there is none."""

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question, and in a first look, without `known`, the question's entities.

        A model that fails, or answers in no usable form, is a verdict with a problem. Raises ConfigurationError where
        nothing can decide, LLMAccessError where every further call would fail too.
        """

    @property
    def waiting(self) -> Waiting:
        """How to wait for other clients."""


@dataclass(frozen=True, slots=True)
class BlockingSources:
    """Sources over the blocking driver and models; nothing here ever suspends."""

    database: Database
    embedder: Embedder
    find_model: Callable[[], LanguageModel | None]
    """Makes the language model, if there is one, when it is asked: who asks nothing needs no settings for it."""
    prompts_dir: Path | None = None
    fact_filter: FactFilter | None = None
    """Decides in the language model's place, where recorded decisions are replayed."""

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError without a language model, or a filter of facts where that is enough."""
        if not (facts and self.fact_filter is not None) and self.find_model() is None:
            raise no_fact_filter() if facts else no_language_model()

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        return self.database.run(query, **parameters)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (len(texts), dimensions)."""
        return self.embedder.embed(texts)

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question, from the language model."""
        model = self.find_model()
        if model is None:
            raise no_language_model()
        metered = MeteredModel(model)
        answer = ask(metered, question_entity_messages(question, self.prompts_dir), EntitiesAnswer)
        return NamedEntities(
            answer.value.named_entities, metered.prompt_tokens, metered.completion_tokens, metered.from_cache
        )

    @property
    def waiting(self) -> Waiting:
        """Blocks the thread."""
        return BLOCKING

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question, from `fact_filter` or the language model."""
        if self.fact_filter is not None:
            return check_positions(self.fact_filter(question, facts, known or ()), len(facts))
        model = self.find_model()
        if model is None:
            raise no_fact_filter()
        metered = MeteredModel(model)
        verdict = self._ask_filter(metered, question, facts, known)
        return replace(
            verdict,
            prompt_tokens=metered.prompt_tokens,
            completion_tokens=metered.completion_tokens,
            from_cache=metered.from_cache,
        )

    def _ask_filter(
        self, model: LanguageModel, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None
    ) -> Verdict:
        messages = filter_messages(question, facts, known, self.prompts_dir)
        try:
            answer = ask(model, messages, FactsAnswer if known is None else FurtherFactsAnswer)
        except LLMAccessError:
            raise
        except (LLMError, UnreadableAnswerError) as error:
            return Verdict(problem=f"The facts could not be filtered: {error}")
        kept, unknown = keep_numbers(answer.value.relevant_facts, len(facts))
        entities = answer.value.named_entities if isinstance(answer.value, FactsAnswer) else ()
        return Verdict(kept, entities, unknown + answer.value.unreadable, truncated=answer.truncated)


@dataclass(frozen=True, slots=True)
class AsyncSources:
    """Sources over the asynchronous driver; what asks a model is done by `blocking` sources in a thread."""

    database: AsyncDatabase
    blocking: BlockingSources
    in_thread: Callable[[Callable[[], Any]], Awaitable[Any]]

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody decides."""
        await self.in_thread(lambda: finish(self.blocking.need_decider(facts=facts)))

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        return await self.database.run(query, **parameters)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (len(texts), dimensions)."""
        vectors: NDArray[np.float32] = await self.in_thread(lambda: self.blocking.embedder.embed(texts))
        return vectors

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question, from the language model."""
        named: NamedEntities = await self.in_thread(lambda: finish(self.blocking.name_entities(question)))
        return named

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question, from `fact_filter` or the language model."""
        verdict: Verdict = await self.in_thread(lambda: finish(self.blocking.filter_facts(question, facts, known)))
        return verdict

    @property
    def waiting(self) -> Waiting:
        """Waits on the event loop."""
        return ON_LOOP


def no_language_model() -> NoLanguageModelError:
    """The error that says that a question's entities can't be found, and what to do."""
    return NoLanguageModelError(
        "The mode needs the question's named entities, and no language model is set. Set HIPPORAG_LLM_MODEL (with "
        "OPENAI_API_KEY or OPENAI_BASE_URL), give the entities yourself (--entity NAME, or entities=[…] in Python), or "
        "take --mode hybrid --no-llm (no_llm=True), or --mode dense."
    )


def no_fact_filter() -> NoLanguageModelError:
    """The error that says that nobody can tell which facts bear on a question, and what to do."""
    return NoLanguageModelError(
        "The mode needs a language model to tell which facts bear on the question, and none is set. Set "
        "HIPPORAG_LLM_MODEL (with OPENAI_API_KEY or OPENAI_BASE_URL), or take --mode hipporag1 with the entities alone "
        "(--entity NAME, or entities=[…] in Python), --mode hybrid --no-llm (no_llm=True), or --mode dense."
    )


@dataclass(slots=True)
class CountedSources:
    """Sources that add up what it costs to ask through them. One for each question."""

    sources: Sources
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody decides."""
        await self.sources.need_decider(facts=facts)

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        return await self.sources.run(query, **parameters)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (len(texts), dimensions)."""
        return await self.sources.embed(texts)

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question."""
        return self._counted(await self.sources.name_entities(question))

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question."""
        return self._counted(await self.sources.filter_facts(question, facts, known))

    @property
    def waiting(self) -> Waiting:
        """How to wait for other clients."""
        return self.sources.waiting

    def _counted(self, answer: CostT) -> CostT:
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        self.from_cache += answer.from_cache
        return answer


@dataclass(slots=True)
class RememberingSources:
    """Sources that ask a model for the same thing once, however often the search for a question is repeated.

    What a writer deleted while a statement read it is left out.
    """

    sources: Sources
    _answers: dict[Hashable, Any] = field(default_factory=dict)

    async def need_decider(self, *, facts: bool) -> None:
        """Raise NoLanguageModelError where nobody decides."""
        await self.sources.need_decider(facts=facts)

    async def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Rows of a named statement."""
        rows = await self.sources.run(query, **parameters)
        return [row for row in rows if _is_whole(row)] if query.startswith("retrieval/") else rows

    @property
    def waiting(self) -> Waiting:
        """How to wait for other clients."""
        return self.sources.waiting

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, shape (len(texts), dimensions)."""
        return await self._once(("texts", *texts), lambda: self.sources.embed(texts))

    async def name_entities(self, question: str) -> NamedEntities:
        """Named entities of a question."""
        return await self._once(("entities", question), lambda: self.sources.name_entities(question))

    async def filter_facts(
        self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet] | None = None
    ) -> Verdict:
        """Which facts bear on a question."""
        asked = ("facts", question, tuple(facts), None if known is None else tuple(known))
        return await self._once(asked, lambda: self.sources.filter_facts(question, facts, known))

    async def _once(self, asked: Hashable, ask: Callable[[], Awaitable[ResultT]]) -> ResultT:
        if asked not in self._answers:
            self._answers[asked] = await ask()
        answer: ResultT = self._answers[asked]
        return answer


def _is_whole(row: Row) -> bool:
    """Whether nothing is missing that a passage, phrase or fact has as long as it is there."""
    return row.get("passages") != 0 and all(value is not None for name, value in row.items() if name not in _NULLABLE)
