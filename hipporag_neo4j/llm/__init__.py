"""Language models: one small protocol, and the model that the settings choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, runtime_checkable

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import ConfigurationError, UnreadableAnswerError
from hipporag_neo4j.prompts import check_prompts

if TYPE_CHECKING:
    from hipporag_neo4j.llm.openai_model import OpenAIModel
    from hipporag_neo4j.llm.transport import Transport
    from hipporag_neo4j.llm.trouble import Endpoint
    from hipporag_neo4j.settings import Settings

__all__ = [
    "NUDGE",
    "Answer",
    "IdentifiedModel",
    "LanguageModel",
    "Listener",
    "Message",
    "ask",
    "make_language_model",
    "nudged",
]

NUDGE = "\n\nAn earlier answer could not be read. Answer with the JSON object described above and nothing else."


@dataclass(frozen=True, slots=True)
class Answer(Generic[ShapeT]):
    """What a model answered, and what it cost; tokens are 0 where the endpoint doesn't count them.

    `truncated`: the answer was cut off at the token limit, so something may be missing at its end. `raw`: the text that
    was read, empty where nobody knows it. `from_cache`: it was kept from before, and cost nothing now.
    """

    value: ShapeT
    prompt_tokens: int = 0
    completion_tokens: int = 0
    truncated: bool = False
    raw: str = ""
    from_cache: bool = False


class Listener(Protocol):
    """Hears an answer while it is written, and may show it to somebody."""

    @property
    def shown(self) -> bool:
        """Whether anything heard so far has been shown, so that it can't be unsaid."""

    def begin(self) -> None:
        """The answer begins, or begins anew: what was heard before doesn't count."""

    def hear(self, piece: str) -> None:
        """The next piece of the answer's raw text."""


class LanguageModel(Protocol):
    """A language model. `answer` is called by several threads at once."""

    @property
    def name(self) -> str:
        """The model's name, for reports."""

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The model's answer to a conversation, as a `shape`.

        A `listener` hears it in pieces as it is written, or all at once where it is there already or the endpoint
        doesn't stream. An answer that breaks off is asked for again unless something of it was shown.

        Raises LLMError when the endpoint fails, LLMAccessError when every further call would fail too, and
        UnreadableAnswerError when it answers in no usable form.
        """


@runtime_checkable
class IdentifiedModel(LanguageModel, Protocol):
    """A language model whose answers can be kept: it says what they depend on, and gives their raw text."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Whatever beside the messages and the answer's shape changes the answer: name, address, limits."""


def make_language_model(settings: Settings, transport: Callable[[Endpoint], Transport] | None = None) -> OpenAIModel:
    """The model that the settings name, behind any OpenAI-compatible endpoint; nothing is sent yet. Requests go through
    what `transport` opens, the blocking client without it.

    Raises ConfigurationError when no model is named, neither a key nor an address is set, or a prompt that it would be
    asked with can't be used: better now than after the first passages were paid for.
    """
    if settings.llm_model is None:
        raise ConfigurationError(
            "No language model is set. Set HIPPORAG_LLM_MODEL to its name, and OPENAI_API_KEY, or OPENAI_BASE_URL for "
            "a server of your own, such as http://localhost:11434/v1. Without one, import ready triples "
            "(import-openie) and find passages (retrieve --no-llm; no_llm=True in Python)."
        )
    check_prompts(settings.prompts_dir)
    from hipporag_neo4j.llm.openai_model import OpenAIModel
    from hipporag_neo4j.llm.transport import BlockingTransport

    return OpenAIModel(settings, name=settings.llm_model, transport=transport or BlockingTransport)


def ask(
    model: LanguageModel, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
) -> Answer[ShapeT]:
    """The model's answer; an unreadable one is asked for once more. The tokens of both attempts are counted.

    Raises what `LanguageModel.answer` raises.
    """
    try:
        return model.answer(messages, shape, listener)
    except UnreadableAnswerError as error:
        first = error
    try:
        second = model.answer(nudged(messages), shape, listener)
    except UnreadableAnswerError as error:
        raise UnreadableAnswerError(
            f"{error} (asked twice)",
            prompt_tokens=first.prompt_tokens + error.prompt_tokens,
            completion_tokens=first.completion_tokens + error.completion_tokens,
        ) from error
    return replace(
        second,
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
    )


def nudged(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation as it is repeated after an unreadable answer."""
    # The request must differ, or a model at temperature 0 says the same again. A message more would break chat
    # templates that want the roles to alternate.
    return (*messages[:-1], replace(messages[-1], content=messages[-1].content + NUDGE))
