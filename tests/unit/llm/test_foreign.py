"""Language models of neo4j-graphrag, handed to this package as they are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import ConfigurationError, LLMAccessError, LLMError, UnreadableAnswerError
from hipporag_neo4j.llm import IdentifiedModel, LanguageModel, ask
from hipporag_neo4j.llm.foreign import ForeignModel, as_language_model
from tests.libraries import need
from tests.llm_server import LLMServer, error

if TYPE_CHECKING:
    from neo4j_graphrag.llm import LLMInterface, LLMInterfaceV2

OpenAILLM = need("neo4j_graphrag.llm").OpenAILLM
LLMResponse = need("neo4j_graphrag.llm.types").LLMResponse
NoOpRateLimitHandler = need("neo4j_graphrag.utils.rate_limit").NoOpRateLimitHandler

ASKED = [
    Message("system", "Name the entities."),
    Message("user", "Ada wrote to Babbage."),
    Message("assistant", '{"named_entities": ["Ada", "Babbage"]}'),
    Message("user", "Alan Turing broke Enigma."),
]
NAMED = '{"named_entities": ["Alan Turing", "Enigma"]}'


def openai(llm_server: LLMServer, key: str = "key-for-tests", **parameters: Any) -> Any:
    """A model of neo4j-graphrag at the scripted endpoint, which doesn't repeat what fails."""
    return OpenAILLM(
        "scripted",
        model_params=parameters,
        base_url=llm_server.url,
        api_key=key,
        max_retries=0,
        rate_limit_handler=NoOpRateLimitHandler(),
    )


def handed_in(older: "LLMInterface", newer: "LLMInterfaceV2") -> Sequence[LanguageModel]:
    """mypy sees that the library's own types fit."""
    return [as_language_model(older), as_language_model(newer)]


class Heard:
    """A listener that keeps what it hears."""

    shown = False

    def __init__(self) -> None:
        self.heard: list[str] = []

    def begin(self) -> None:
        self.heard.append("|")

    def hear(self, piece: str) -> None:
        self.heard.append(piece)


def test_a_model_of_neo4j_graphrag_is_one_of_this_package(llm_server: LLMServer) -> None:
    llm_server.script.append(f"Here you are:\n```json\n{NAMED}\n```")
    heard = Heard()
    model = as_language_model(openai(llm_server, temperature=0))
    answer = model.answer(ASKED, EntitiesAnswer, heard)
    assert model.name == "scripted"
    assert answer.value.named_entities == ("Alan Turing", "Enigma")
    assert (answer.prompt_tokens, answer.completion_tokens) == (14, 9)
    assert not answer.truncated
    assert heard.heard == ["|", answer.raw]
    (request,) = llm_server.chats
    assert request.body["messages"] == [{"role": said.role, "content": said.content} for said in ASKED]
    assert request.body["temperature"] == 0


def test_one_of_this_package_stays_as_it_is_and_what_is_none_is_refused(llm_server: LLMServer) -> None:
    model = ForeignModel(openai(llm_server))
    assert as_language_model(model) is model
    with pytest.raises(ConfigurationError, match="is a str, which has neither `answer` nor `invoke`"):
        as_language_model("gpt-4o-mini")  # type: ignore[arg-type]


def test_its_answers_are_not_kept(llm_server: LLMServer) -> None:
    assert not isinstance(as_language_model(openai(llm_server)), IdentifiedModel)


def test_an_older_model_gets_a_text_with_what_was_said_before() -> None:
    class Older:
        """As LLMInterface: `invoke` takes a text."""

        model_name = "older"
        asked: Any

        def invoke(self, input: str, message_history: Any = None, system_instruction: str | None = None) -> Any:
            self.asked = (input, message_history, system_instruction)
            return LLMResponse(content=NAMED)

    older = Older()
    answer = ForeignModel(older).answer(ASKED, EntitiesAnswer)
    assert answer.value.named_entities == ("Alan Turing", "Enigma")
    assert (answer.prompt_tokens, answer.completion_tokens) == (0, 0)
    history = [{"role": said.role, "content": said.content} for said in ASKED[1:3]]
    assert older.asked == ("Alan Turing broke Enigma.", history, "Name the entities.")
    ForeignModel(older).answer(ASKED[3:], EntitiesAnswer)
    assert older.asked == ("Alan Turing broke Enigma.", None, None)


def test_an_unreadable_answer_is_asked_for_once_more(llm_server: LLMServer) -> None:
    llm_server.script += ["I'd rather not.", NAMED]
    answer = ask(as_language_model(openai(llm_server)), ASKED, EntitiesAnswer)
    assert answer.value.named_entities == ("Alan Turing", "Enigma")
    assert answer.prompt_tokens > 2 * 14  # the second time it was told to keep to the form
    llm_server.script += ["No.", "No."]
    with pytest.raises(UnreadableAnswerError, match="asked twice") as raised:
        ask(as_language_model(openai(llm_server)), ASKED, TriplesAnswer)
    assert raised.value.completion_tokens == 2


def test_a_refused_key_concerns_every_call_and_is_not_shown(llm_server: LLMServer) -> None:
    llm_server.api_key = "another"
    with pytest.raises(LLMAccessError, match=r"'scripted' \(OpenAILLM\) failed.*401.*Check its key") as raised:
        as_language_model(openai(llm_server, "sk-canary")).answer(ASKED, EntitiesAnswer)
    assert "sk-canary" not in str(raised.value)
    assert raised.value.__cause__ is None  # the endpoint repeats the key


def test_an_outage_concerns_one_call(llm_server: LLMServer) -> None:
    model = as_language_model(openai(llm_server))
    llm_server.script.append(error(500, "out of order"))
    with pytest.raises(LLMError, match="out of order") as raised:
        model.answer(ASKED, EntitiesAnswer)
    assert not isinstance(raised.value, LLMAccessError)
    llm_server.close()
    with pytest.raises(LLMError, match="failed: Connection error"):
        model.answer(ASKED, EntitiesAnswer)


def test_an_answer_without_text_is_an_error() -> None:
    class Mute:
        def invoke(self, input: Any) -> Any:
            return {"content": NAMED}

    with pytest.raises(LLMError, match="answered with a dict that holds no text"):
        ForeignModel(Mute()).answer(ASKED, EntitiesAnswer)


def test_a_name_can_be_given_and_else_is_the_class() -> None:
    class Nameless:
        def invoke(self, input: Any) -> Any: ...

    assert ForeignModel(Nameless()).name == "Nameless"
    assert ForeignModel(Nameless(), name="mine").name == "mine"
