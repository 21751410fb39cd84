"""The client against a real HTTP server that refuses, fails, hangs and cuts as the test says."""

import json
import logging
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.answers import EntitiesAnswer
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import ConfigurationError, LLMAccessError, LLMError, UnreadableAnswerError
from hipporag_neo4j.llm import make_language_model
from hipporag_neo4j.settings import Settings
from tests.llm_server import LLMServer, Reply, Request, error
from tests.unit.conftest import MakeModel

ASKED = [Message("system", "List names as JSON."), Message("user", "Ada lived in Lund.")]
LUND = '{"named_entities": ["Lund"]}'
KEY = "sk-secret-0123456789"


def test_an_answer_is_read_and_counted(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [LUND, Reply(LUND, counts_tokens=False)]
    model = make_model()
    answer = model.answer(ASKED, EntitiesAnswer)
    assert answer.value.named_entities == ("Lund",)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.truncated) == (8, 2, False)
    assert model.answer(ASKED, EntitiesAnswer).prompt_tokens == 0


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 10**30, "completion_tokens": 2}, (0, 2)),  # more than a database can keep
        ({"prompt_tokens": -5, "completion_tokens": "many"}, (0, 0)),
        ({"prompt_tokens": None, "completion_tokens": 1.5}, (0, 0)),
        ("none", (0, 0)),
    ],
)
def test_an_answer_counts_whatever_its_tokens_are_said_to_be(
    make_model: MakeModel, llm_server: LLMServer, usage: object, counted: tuple[int, int]
) -> None:
    choices = [{"message": {"content": LUND}, "finish_reason": "stop"}]
    llm_server.script = [Reply(body=json.dumps({"choices": choices, "usage": usage}))]
    answer = make_model().answer(ASKED, EntitiesAnswer)
    assert answer.value.named_entities == ("Lund",)
    assert (answer.prompt_tokens, answer.completion_tokens) == counted


@pytest.mark.parametrize(
    ("refuses", "structure", "refusals"),
    [
        (set[str](), "json_schema", 0),
        ({"json_schema"}, "json_object", 1),
        ({"json_schema", "json_object"}, "text", 2),
        ({"json_schema", "json_object", "temperature", "max_tokens"}, "text", 4),
    ],
)
def test_eight_threads_learn_the_dialect_once(
    make_model: MakeModel, llm_server: LLMServer, refuses: set[str], structure: str, refusals: int
) -> None:
    llm_server.refuses = refuses
    llm_server.respond = lambda request: Reply(LUND, delay=0.05)
    model = make_model()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: model.answer(ASKED, EntitiesAnswer), range(24)))
    assert {answer.value.named_entities for answer in answers} == {("Lund",)}
    assert llm_server.refusals == refusals
    assert len(llm_server.chats) == 24 + refusals
    assert model.dialect.structure == structure
    assert 2 <= llm_server.peak_concurrency <= 8


def test_the_step_down_stays_for_later_calls_but_not_for_failures(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [error(500, "json_schema crashed"), error(400, "maximum context length is 10 tokens"), LUND]
    model = make_model()
    with pytest.raises(LLMError, match="HIPPORAG_PASSAGE_SIZE"):
        model.answer(ASKED, EntitiesAnswer)
    model.answer(ASKED, EntitiesAnswer)
    assert [chat.structure for chat in llm_server.chats] == ["json_schema"] * 3


def test_a_refusal_disguised_as_an_internal_error_is_understood(make_model: MakeModel, llm_server: LLMServer) -> None:
    said = "1 validation error: {'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'json_object'\"}"
    llm_server.script = [error(500, said), LUND]
    model = make_model()
    model.answer(ASKED, EntitiesAnswer)
    assert model.dialect.structure == "json_object"
    assert len(llm_server.chats) == 2


def test_a_refusal_in_fastapis_form_is_understood(make_model: MakeModel, llm_server: LLMServer) -> None:
    complaint = '{"detail": [{"loc": ["body", "response_format", "type"], "msg": "no", "input": "temperature"}]}'
    llm_server.script = [Reply(status=422, body=complaint), LUND]
    model = make_model()
    model.answer(ASKED, EntitiesAnswer)
    assert model.dialect.structure == "json_object"
    assert model.dialect.temperature


@pytest.mark.parametrize(
    "trouble",
    [
        error(429, "slow down"),
        error(500),
        error(503),
        error(408),
        Reply(LUND, cut="before"),
        Reply(LUND, cut="inside"),
        Reply(body="<html>starting</html>"),
        Reply(body='{"choices": [{"mess'),
        Reply(body=""),
        Reply(body="{}"),
        Reply(LUND, delay=6.0),
    ],
)
def test_what_may_pass_is_tried_again(make_model: MakeModel, llm_server: LLMServer, trouble: Reply) -> None:
    llm_server.script = [trouble, trouble, LUND]
    model = make_model(llm_retries=2, llm_timeout=2)
    assert model.answer(ASKED, EntitiesAnswer).value.named_entities == ("Lund",)
    assert len(llm_server.chats) == 3


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (error(429, "slow down"), r"busy or failing \(429\): slow down"),
        (error(500, "boom"), r"busy or failing \(500\): boom"),
        (Reply(LUND, cut="before"), "can't be reached"),
        (Reply(body="<html>hello</html>"), r"no chat completion: \"<html>hello"),
        (Reply(LUND, delay=6.0), "didn't answer in time"),
    ],
)
def test_what_stays_is_an_error_that_says_what_to_do(
    make_model: MakeModel, llm_server: LLMServer, trouble: Reply, message: str
) -> None:
    llm_server.script = [trouble] * 9
    with pytest.raises(LLMError, match=message) as caught:
        make_model(llm_retries=1, llm_timeout=2).answer(ASKED, EntitiesAnswer)
    assert not isinstance(caught.value, LLMAccessError)
    assert len(llm_server.chats) == 2
    assert "scripted" in str(caught.value)
    assert llm_server.url in str(caught.value)


@pytest.mark.parametrize("status", [400, 413, 418])
def test_what_does_not_pass_is_not_tried_again(make_model: MakeModel, llm_server: LLMServer, status: int) -> None:
    llm_server.script = [error(status, "no")] * 2
    with pytest.raises(LLMError, match=str(status)):
        make_model().answer(ASKED, EntitiesAnswer)
    assert len(llm_server.chats) == 1


def test_retry_after_is_honoured_in_seconds_and_as_a_date(make_model: MakeModel, llm_server: LLMServer) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    llm_server.script = [error(429, retry_after="0.4"), error(503, retry_after=later), LUND]
    started = time.monotonic()
    make_model().answer(ASKED, EntitiesAnswer)
    assert 1.0 < time.monotonic() - started < 30


def test_a_wait_beyond_the_deadline_is_not_begun(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [error(429, "slow down", retry_after="3600"), LUND]
    started = time.monotonic()
    with pytest.raises(LLMError, match="asks to wait 3600 s"):
        make_model(llm_deadline=60).answer(ASKED, EntitiesAnswer)
    assert time.monotonic() - started < 30


def test_the_deadline_ends_retries_and_shortens_attempts(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply(LUND, delay=30.0)
    started = time.monotonic()
    with pytest.raises(LLMError, match="didn't answer in time"):
        make_model(llm_retries=50, llm_deadline=1.5, llm_timeout=60).answer(ASKED, EntitiesAnswer)
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(None, refusal="I won't."), "refused: \"I won't"),
        (Reply(None), "empty"),
        (Reply("", finish_reason="length"), "cut off at 100 tokens"),
        (Reply(LUND, finish_reason="content_filter"), "content filter"),
        (Reply(body='{"choices": []}'), "holds no answer"),
        (Reply(status=400, body='{"error": {"message": "Failed to generate JSON", "code": "json_validate_failed", '
                                '"failed_generation": "{{{"}}'), "withheld an answer that is no JSON"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_unreadable(
    make_model: MakeModel, llm_server: LLMServer, reply: Reply, message: str
) -> None:
    llm_server.script = [reply]
    model = make_model(llm_max_tokens=100)
    with pytest.raises(UnreadableAnswerError, match=message):
        model.answer(ASKED, EntitiesAnswer)
    assert model.dialect.structure == "json_schema"


def test_an_unreadable_answer_is_counted_too(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = ["no idea"]
    with pytest.raises(UnreadableAnswerError) as caught:
        make_model().answer(ASKED, EntitiesAnswer)
    assert (caught.value.prompt_tokens, caught.value.completion_tokens) == (8, 2)


def test_a_cut_answer_says_so(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [Reply('{"named_entities": ["Lund", "Malm', finish_reason="length")]
    answer = make_model().answer(ASKED, EntitiesAnswer)
    assert answer.truncated
    assert answer.value.named_entities == ("Lund",)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_the_key_is_told_nowhere(
    make_model: MakeModel, llm_server: LLMServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[Request] = []

    def echo(request: Request) -> Reply:
        seen.append(request)
        return error(status, f"you sent {request.headers['authorization']}")

    llm_server.respond = echo
    model = make_model(openai_api_key=KEY, llm_retries=0)
    with pytest.raises(LLMError) as caught:
        model.answer(ASKED, EntitiesAnswer)
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    told = "".join(traceback.format_exception(caught.value)) + repr(model) + repr(vars(model)) + caplog.text
    assert "you sent Bearer ***" in str(caught.value)
    assert KEY not in told


def test_a_wrong_key_says_which_setting(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.api_key = "another"
    with pytest.raises(LLMAccessError, match="Check OPENAI_API_KEY"):
        make_model(openai_api_key=KEY).answer(ASKED, EntitiesAnswer)


def test_an_unknown_model_says_which_setting(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.models = ["other"]
    with pytest.raises(LLMAccessError, match=r"scripted.* does not exist.*HIPPORAG_LLM_MODEL"):
        make_model().answer(ASKED, EntitiesAnswer)


def test_an_address_without_v1_says_so(make_model: MakeModel, llm_server: LLMServer) -> None:
    wrong = llm_server.url.removesuffix("/v1") + "/api"
    llm_server.respond = lambda request: error(404)
    with pytest.raises(LLMAccessError, match="end in /v1"):
        make_model(openai_base_url=wrong).answer(ASKED, EntitiesAnswer)


def test_nothing_listens(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.close()
    with pytest.raises(LLMError, match="can't be reached") as caught:
        make_model(llm_retries=1).answer(ASKED, EntitiesAnswer)
    assert "Check OPENAI_BASE_URL" in str(caught.value)


def test_surrogates_and_nul_do_not_stop_a_request(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.script = [LUND]
    make_model().answer([Message("user", "JSON \ud83d nul \0 \ud83d\ude00 \ufeff")], EntitiesAnswer)
    assert llm_server.chats[0].prompt == "JSON � nul   😀 \ufeff"


def test_a_closed_model_opens_no_new_connection(make_model: MakeModel, llm_server: LLMServer) -> None:
    """A call that is under way when its owner leaves would otherwise try again behind its back."""
    llm_server.script = [LUND]
    model = make_model()
    model.answer(ASKED, EntitiesAnswer)
    model.close()
    model.close()
    with pytest.raises(LLMError, match="was closed"):
        model.answer(ASKED, EntitiesAnswer)


def test_one_client_for_all_threads(make_model: MakeModel, llm_server: LLMServer) -> None:
    together = threading.Barrier(8)

    def rule(request: Request) -> str:
        if len(llm_server.chats) > 1:
            together.wait(timeout=10)
        return LUND

    llm_server.respond = rule
    model = make_model()
    model.answer(ASKED, EntitiesAnswer)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: model.answer(ASKED, EntitiesAnswer), range(8)))
    assert llm_server.peak_concurrency == 8


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({}, "HIPPORAG_LLM_MODEL"),
        ({"llm_model": "m"}, "neither a key nor an address"),
        ({"llm_model": "m", "openai_base_url": "localhost:8000/v1"}, "no http address"),
        ({"llm_model": "m", "openai_base_url": "http:///v1"}, "no http address"),
        ({"llm_model": "m", "openai_base_url": "http://localhost:port/v1"}, "no http address"),
        ({"llm_model": "m", "openai_base_url": "http://[::1/v1"}, "no http address"),
        ({"llm_model": "m", "openai_base_url": "http://localhost/v1\n"}, "no http address"),
        ({"llm_model": "m", "openai_api_key": f"{KEY} x"}, "Copy it again"),
        ({"llm_model": "m", "openai_api_key": f"{KEY}ü"}, "Copy it again"),
    ],
)
def test_settings_that_cannot_work_are_refused(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        make_language_model(Settings.model_validate(values))
    assert KEY not in str(caught.value)


def test_a_key_with_a_line_break_at_its_end_is_taken(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.api_key = KEY
    llm_server.script = [LUND]
    make_model(openai_api_key=f"{KEY}\n").answer(ASKED, EntitiesAnswer)


def test_a_password_in_the_address_is_not_told(make_model: MakeModel, llm_server: LLMServer) -> None:
    llm_server.close()
    address = llm_server.url.replace("//", f"//user:{KEY}@") + f"?token={KEY}"
    with pytest.raises(LLMError) as caught:
        make_model(openai_base_url=address, llm_retries=0).answer(ASKED, EntitiesAnswer)
    assert KEY not in str(caught.value)


def test_openai_is_not_imported_before_it_is_used() -> None:
    code = (
        "import sys; from hipporag_neo4j.llm import make_language_model; from hipporag_neo4j.settings import Settings; "
        "import hipporag_neo4j.indexing.extract_triples; "
        "make_language_model(Settings(llm_model='m', openai_base_url='http://localhost/v1')); "
        "print([name for name in ('openai', 'json_repair', 'neo4j') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_broken_prompt_shows_when_the_model_is_made(llm_server: LLMServer, tmp_path: Path) -> None:
    """Before anything is sent, so before anything is paid."""
    settings = Settings(llm_model="scripted", openai_base_url=llm_server.url, prompts_dir=tmp_path)
    (tmp_path / "triples.txt").write_text("[user]\nWhich facts? {{passage}}\n")
    with pytest.raises(ConfigurationError, match=r"triples\.txt uses the placeholders"):
        make_language_model(settings)
    with pytest.raises(ConfigurationError, match="holds none of"):
        make_language_model(settings.model_copy(update={"prompts_dir": tmp_path / "absent"}))
    assert not llm_server.requests
