"""Answers that come in pieces, from a real HTTP server that cuts, stalls, refuses and answers in other forms."""

import json
import threading
import time

import pytest

from hipporag_neo4j.answers import EntitiesAnswer
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import LLMAccessError, LLMError, UnreadableAnswerError
from hipporag_neo4j.llm import ask
from tests.llm_server import LLMServer, Reply, error
from tests.unit.conftest import MakeModel

ASKED = [Message("system", "List names as JSON."), Message("user", "Ada lived in Lund.")]
LUND = '{"named_entities": ["Lund", "Ada", "Malmö", "Kristianstad"]}'
EVENTS = {"Content-Type": "text/event-stream"}


class Heard:
    """A Listener that remembers; what it has heard counts as shown from the first piece on, if `shows`."""

    def __init__(self, *, shows: bool = True) -> None:
        self.attempts: list[list[str]] = []
        self.shows = shows

    @property
    def shown(self) -> bool:
        return self.shows and any(self.attempts)

    @property
    def text(self) -> str:
        return "".join(self.attempts[-1])

    def begin(self) -> None:
        self.attempts.append([])

    def hear(self, piece: str) -> None:
        self.attempts[-1].append(piece)


def event(finish: str | None = None, **delta: object) -> str:
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}) + "\n\n"


def test_an_answer_is_heard_in_pieces_read_and_counted(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [LUND]
    heard = Heard()
    answer = make_model().answer(ASKED, EntitiesAnswer, heard)
    assert answer.value.named_entities == ("Lund", "Ada", "Malmö", "Kristianstad")
    assert (answer.prompt_tokens, answer.completion_tokens) == (8, 5)
    assert heard.text == LUND
    assert len(heard.attempts[0]) > 3
    body = llm_server.chats[0].body
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_it_is_heard_while_it_is_written(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [Reply(LUND, pace=0.2)]
    heard = Heard()
    done = threading.Event()

    def work() -> None:
        make_model().answer(ASKED, EntitiesAnswer, heard)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not heard.shown:
        time.sleep(0.01)
    assert not done.is_set()
    thread.join()


def test_without_a_listener_nothing_is_streamed(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [LUND]
    make_model().answer(ASKED, EntitiesAnswer)
    assert "stream" not in llm_server.chats[0].body


@pytest.mark.parametrize(
    ("refuses", "stream", "usage", "tokens"),
    [
        ({"stream_options"}, True, False, 0),
        ({"stream"}, False, True, 8),
        ({"stream", "stream_options"}, False, True, 8),
    ],
)
def test_what_an_endpoint_does_not_take_is_learnt_once(
    make_model: MakeModel, llm_server: LLMServer, refuses: set[str], stream: bool, usage: bool, tokens: int
) -> None:
    llm_server.refuses = refuses
    llm_server.respond = lambda request: LUND
    model = make_model()
    heard = Heard()
    answer = model.answer(ASKED, EntitiesAnswer, heard)
    assert heard.text == LUND
    assert answer.prompt_tokens == tokens
    refusals = llm_server.refusals
    model.answer(ASKED, EntitiesAnswer, Heard())
    assert llm_server.refusals == refusals
    assert (model.dialect.stream, model.dialect.structure) == (stream, "json_schema")
    assert model.dialect.stream_usage is usage or not stream


def test_a_whole_completion_in_place_of_a_stream_is_understood(make_model: MakeModel, llm_server: LLMServer) -> None:
    completion = {"choices": [{"message": {"content": LUND}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    llm_server.script = [Reply(body=json.dumps(completion))]
    heard = Heard()
    answer = make_model().answer(ASKED, EntitiesAnswer, heard)
    assert heard.text == LUND
    assert answer.prompt_tokens == 3


@pytest.mark.parametrize(
    "trouble",
    [
        error(429, "slow down"),
        error(503),
        Reply(LUND, cut="before"),
        Reply(LUND, cut="inside"),
        Reply(body="<html>starting</html>"),
        Reply(body="data: {no json}\n\n", headers=EVENTS),
        Reply(body='data: "text"\n\n', headers=EVENTS),
        Reply(body="data: [DONE]\n\n", headers=EVENTS),
        Reply(body='data: {"error": {"message": "overloaded"}}\n\n', headers=EVENTS),
        Reply(body=event(content='{"named') + "data: [DONE]\n\n", headers=EVENTS),
        Reply(LUND, delay=6.0),
        Reply(LUND, pace=6.0),
    ],
)
def test_what_may_pass_is_tried_again_while_nothing_is_shown(
    make_model: MakeModel, llm_server: LLMServer, trouble: Reply
) -> None:
    llm_server.script = [trouble, trouble, LUND]
    heard = Heard(shows=False)
    answer = make_model(llm_retries=2, llm_timeout=2).answer(ASKED, EntitiesAnswer, heard)
    assert answer.value.named_entities[0] == "Lund"
    assert heard.text == LUND
    assert len(heard.attempts) == len(llm_server.chats) == 3


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (Reply(LUND, cut="inside"), "broke off in its answer"),
        (
            Reply(body=event(content="{") + 'data: {"error": {"message": "out of memory"}}\n\n', headers=EVENTS),
            "broke off in its answer: out of memory",
        ),
        (Reply(body=event(content='{"named') + "data: [DONE]\n\n", headers=EVENTS), "ended before the answer did"),
        (Reply(body=event(content='{"named') + "data: nonsense\n\n", headers=EVENTS), "no chat completion"),
    ],
)
def test_what_breaks_off_after_something_was_shown_is_an_error(
    make_model: MakeModel, llm_server: LLMServer, trouble: Reply, message: str
) -> None:
    llm_server.script = [trouble, LUND]
    with pytest.raises(LLMError, match=message) as caught:
        make_model(llm_retries=3).answer(ASKED, EntitiesAnswer, Heard())
    assert not isinstance(caught.value, LLMAccessError)
    assert len(llm_server.chats) == 1


def test_the_deadline_ends_a_stream_that_goes_on_and_on(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply("x" * 4000, pace=0.1)
    started = time.monotonic()
    with pytest.raises(LLMError, match="didn't answer in time"):
        make_model(llm_deadline=1.0).answer(ASKED, EntitiesAnswer, Heard())
    assert time.monotonic() - started < 15


def test_an_answer_longer_than_an_attempt_may_take_is_no_trouble(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [Reply(LUND, pace=0.25)]
    assert make_model(llm_timeout=1.5).answer(ASKED, EntitiesAnswer, Heard()).value.named_entities[0] == "Lund"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(body=event(refusal="I won't.") + event(finish="stop"), headers=EVENTS), "refused: \"I won't"),
        (Reply("", finish_reason="stop"), "empty"),
        (Reply(LUND, finish_reason="content_filter"), "content filter"),
        (Reply('{"named_entities": ["Lun', finish_reason="length"), "cut off at 100 tokens"),
    ],
)
def test_an_answer_that_is_none_says_why(
    make_model: MakeModel, llm_server: LLMServer, reply: Reply, message: str
) -> None:
    llm_server.respond = lambda request: reply
    with pytest.raises((UnreadableAnswerError, LLMError), match=message):
        make_model(llm_max_tokens=100, llm_retries=0).answer(ASKED, EntitiesAnswer, Heard())


def test_an_unreadable_answer_is_heard_twice(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = ["No idea.", LUND]
    heard = Heard()
    answer = ask(make_model(), ASKED, EntitiesAnswer, heard)
    assert ["".join(pieces) for pieces in heard.attempts] == ["No idea.", LUND]
    assert answer.completion_tokens == 2 + 5


def test_the_connection_of_a_stream_that_was_stopped_is_closed(make_model: MakeModel, llm_server: LLMServer) -> None:
    class Stop(BaseException):
        pass

    class Impatient(Heard):
        def hear(self, piece: str) -> None:
            raise Stop

    model = make_model()
    llm_server.script = [Reply(LUND, pace=0.05), LUND]
    with pytest.raises(Stop):
        model.answer(ASKED, EntitiesAnswer, Impatient())
    assert model.answer(ASKED, EntitiesAnswer, Heard()).value.named_entities[0] == "Lund"
