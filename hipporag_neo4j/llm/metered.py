"""A language model with a meter: what a piece of work costs, failed and unreadable answers included."""

from collections.abc import Sequence

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.llm import Answer, LanguageModel, Listener


class MeteredModel:
    """A LanguageModel that adds up the tokens of what is asked through it, and counts the answers that were kept from
    before and cost none. One for each piece of work and thread."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.from_cache = 0

    @property
    def name(self) -> str:
        """The model's name, for reports."""
        return self._model.name

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The model's answer; see LanguageModel."""
        try:
            answer = self._model.answer(messages, shape, listener)
        except UnreadableAnswerError as error:
            self._count(error.prompt_tokens, error.completion_tokens)
            raise
        self._count(answer.prompt_tokens, answer.completion_tokens)
        self.from_cache += answer.from_cache
        return answer

    def _count(self, prompt_tokens: int, completion_tokens: int) -> None:
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
