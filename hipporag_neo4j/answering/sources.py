"""What answering asks of the outside: passages and a language model. One logic serves blocking and async clients."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message, RetrievalResult
from hipporag_neo4j.llm import Answer, LanguageModel, Listener, ask


class Search(Protocol):
    """Finds passages, in whichever mode; blocks."""

    def __call__(self, question: str, *, limit: int, entities: Sequence[str] | None) -> RetrievalResult: ...


class AnswerSources(Protocol):
    """Where answering gets what it works with."""

    @property
    def model_name(self) -> str:
        """The language model's name, for the result."""

    @property
    def prompts_dir(self) -> Path | None:
        """Folder with prompts of one's own."""

    async def retrieve(self, question: str, *, limit: int, entities: Sequence[str] | None) -> RetrievalResult:
        """The best passages for a question or thought; raises what retrieval raises."""

    async def ask(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The language model's answer; an unreadable one is asked for once more. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class BlockingAnswerSources:
    """AnswerSources over a blocking search and model; nothing here ever suspends."""

    search: Search
    model: LanguageModel
    prompts_dir: Path | None = None

    @property
    def model_name(self) -> str:
        """The language model's name."""
        return self.model.name

    async def retrieve(self, question: str, *, limit: int, entities: Sequence[str] | None) -> RetrievalResult:
        """The best passages."""
        return self.search(question, limit=limit, entities=entities)

    async def ask(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The language model's answer."""
        return ask(self.model, messages, shape, listener)
