"""A language model with a meter: what a piece of work costs, failed and unreadable answers included."""

from collections.abc import Sequence

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.llm import Answer, LanguageModel, Listener
from hipporag_neo4j.llm.cached_model import kind_of
from hipporag_neo4j.llm.usage import CallUsage, UsageLedger


class MeteredModel:
    """A LanguageModel that adds up the tokens of what is asked through it, and counts the answers that were kept from
    before and cost none. One for each piece of work and thread.

    Every call is entered in the `ledger`, too, as one about a text of so many `characters`.
    """

    def __init__(self, model: LanguageModel, ledger: UsageLedger | None = None, characters: int = 0) -> None:
        self._model = model
        self._ledger = ledger
        self._characters = characters
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.from_cache = 0
        self.uncounted = 0

    @property
    def name(self) -> str:
        """The model's name, for reports."""
        return self._model.name

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The model's answer; see LanguageModel."""
        call = CallUsage(self.name, kind_of(shape), prompt_characters=sum(len(said.content) for said in messages))
        try:
            answer = self._model.answer(messages, shape, listener)
        except UnreadableAnswerError as error:
            self._count(call, error.prompt_tokens, error.completion_tokens)
            raise
        if answer.from_cache:
            self.from_cache += 1
            self._enter(CallUsage(call.model, call.call, from_cache=1))
        else:
            self._count(call, answer.prompt_tokens, answer.completion_tokens, answered=True)
        return answer

    def _count(self, call: CallUsage, prompt_tokens: int, completion_tokens: int, *, answered: bool = False) -> None:
        uncounted = not prompt_tokens and not completion_tokens
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.uncounted += uncounted
        self._enter(
            CallUsage(
                call.model,
                call.call,
                calls=1,
                answered=int(answered),
                uncounted=int(uncounted),
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                prompt_characters=call.prompt_characters,
                text_characters=self._characters if answered else 0,
            )
        )

    def _enter(self, usage: CallUsage) -> None:
        if self._ledger is not None:
            self._ledger.add(usage)
