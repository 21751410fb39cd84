"""Language models of other libraries: those of neo4j-graphrag, whose method is `invoke`."""

import inspect
from collections.abc import Sequence
from typing import Any, Protocol

from hipporag_neo4j.answers import ShapeT
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import ConfigurationError, LLMAccessError, LLMError
from hipporag_neo4j.foreign import Failure, failures
from hipporag_neo4j.llm import Answer, LanguageModel, Listener
from hipporag_neo4j.llm.completion import Choice, Completion, Said, Usage, read_completion


class InvocableModel(Protocol):
    """What `LLMInterface` and `LLMInterfaceV2` of neo4j-graphrag promise."""

    @property
    def invoke(self) -> Any:
        """Takes a text or a list of messages, and gives what has a `content`."""


class ForeignModel:
    """A LanguageModel made of one of neo4j-graphrag. Several threads call it at once.

    It is asked with the prompts of this package as they are, at whatever temperature it was made with, and its text is
    read as every other answer. Its answers are not kept in the graph: nobody knows what else they depend on.
    """

    def __init__(self, model: InvocableModel, *, name: str | None = None) -> None:
        self._model = model
        self._takes_messages = _takes_messages(model)
        found = name or getattr(model, "model_name", None)
        self.name = found if isinstance(found, str) and found else type(model).__name__

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The model's answer as a `shape`; see LanguageModel. A listener hears it all at once."""
        if listener is not None:
            listener.begin()
        try:
            response = self._invoke(messages)
        except failures() as error:
            failure = Failure(error, self._model)
            kind = LLMAccessError if failure.access_refused else LLMError
            raise kind(
                f"The model {self.name!r} ({type(self._model).__name__}) failed: {failure}. Check its key, its "
                "address, its parameters and that its server runs."
            ) from failure.cause
        content = _text_of(response)
        if listener is not None:
            listener.hear(content)
        return read_completion(
            Completion(choices=[Choice(message=Said(content=content))], usage=_usage(response)), shape, 0
        )

    def _invoke(self, messages: Sequence[Message]) -> Any:
        if self._takes_messages:
            return self._model.invoke([{"role": said.role, "content": said.content} for said in messages])
        *before, last = [said for said in messages if said.role != "system"]
        history = [{"role": said.role, "content": said.content} for said in before]
        system = "\n\n".join(said.content for said in messages if said.role == "system")
        return self._model.invoke(last.content, message_history=history or None, system_instruction=system or None)


def as_language_model(given: LanguageModel | InvocableModel) -> LanguageModel:
    """The language model that was handed in, made one of this package if it comes from another library.

    Raises ConfigurationError for what is none.
    """
    if callable(getattr(given, "answer", None)):
        return given  # type: ignore[return-value]
    if callable(getattr(given, "invoke", None)):
        return ForeignModel(given)  # type: ignore[arg-type]
    raise ConfigurationError(
        f"The language model is a {type(given).__name__}, which has neither `answer` nor `invoke`. Give a model of "
        "this package (hipporag_neo4j.llm.LanguageModel says what it has) or one of neo4j-graphrag."
    )


def _takes_messages(model: InvocableModel) -> bool:
    """Whether `invoke` takes a list of messages, as LLMInterfaceV2; the older LLMInterface takes a text alone."""
    parameters = inspect.signature(model.invoke).parameters
    return "response_format" in parameters or "message_history" not in parameters


def _text_of(response: Any) -> str:
    content = getattr(response, "content", None)
    if not isinstance(content, str):
        raise LLMError(f"The model answered with a {type(response).__name__} that holds no text: {response!r:.200}")
    return content


def _usage(response: Any) -> Usage | None:
    given = getattr(response, "usage", None)
    if given is None:
        return None
    counts = {
        "prompt_tokens": getattr(given, "request_tokens", None),
        "completion_tokens": getattr(given, "response_tokens", None),
    }
    return Usage.model_validate(counts)
