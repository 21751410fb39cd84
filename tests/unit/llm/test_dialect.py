"""What is learnt from a refusal, and that threads share it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hipporag_neo4j.answers import EntitiesAnswer
from hipporag_neo4j.llm.dialect import Dialect, SharedDialect

SCHEMA = Dialect()
OBJECT = Dialect(structure="json_object")


@pytest.mark.parametrize(
    ("dialect", "complaint", "learnt"),
    [
        (SCHEMA, "Invalid parameter: 'response_format' of type 'json_schema' is not supported", OBJECT),
        (SCHEMA, "body.response_format.type: Input should be 'text' or 'json_object'", OBJECT),
        (SCHEMA, "failed to parse grammar", OBJECT),
        (OBJECT, "This response_format type is unavailable now", Dialect(structure="text")),
        (OBJECT, "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'",
         Dialect(structure="text")),
        (Dialect(structure="text"), "response_format is odd", None),
        (SCHEMA, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
         Dialect(limit="max_completion_tokens")),
        (Dialect(limit="max_completion_tokens"), "'max_completion_tokens' must be positive", None),
        (SCHEMA, "Unsupported value: 'temperature' does not support 0 with this model.", Dialect(temperature=False)),
        (Dialect(temperature=False), "'temperature' is wrong", None),
        (SCHEMA, "This model's maximum context length is 4096 tokens, see response_format", None),
        (SCHEMA, "'max_tokens' or 'max_completion_tokens' is too large: 9000", None),
        (SCHEMA, "Conversation roles must alternate", None),
    ],
)  # fmt: skip
def test_a_refusal_teaches_one_thing(dialect: Dialect, complaint: str, learnt: Dialect | None) -> None:
    assert dialect.without(complaint) == learnt


def test_a_request_holds_what_the_dialect_says() -> None:
    full = SCHEMA.parameters(EntitiesAnswer, 100)
    assert full["max_tokens"] == 100
    assert full["temperature"] == 0
    assert full["response_format"]["json_schema"]["name"] == "EntitiesAnswer"
    bare = Dialect(structure="text", limit="max_completion_tokens", temperature=False)
    assert bare.parameters(EntitiesAnswer, 100) == {"max_completion_tokens": 100}


def test_a_refusal_of_an_old_dialect_teaches_nothing_more() -> None:
    shared = SharedDialect()
    assert shared.refused(SCHEMA, "no json_schema") == OBJECT
    assert shared.refused(SCHEMA, "no json_schema") == OBJECT
    assert shared.current == OBJECT
    assert shared.refused(OBJECT, "who are you") is None
    assert shared.current == OBJECT


def test_only_the_first_call_goes_alone() -> None:
    shared = SharedDialect()
    running, peaks = [], []
    lock, together = threading.Lock(), threading.Barrier(3)

    def call(_: int) -> None:
        with shared.call():
            with lock:
                running.append(1)
                peaks.append(len(running))
            if len(peaks) > 1:
                together.wait(timeout=10)
            with lock:
                running.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, range(4)))
    assert max(peaks) == 3


def test_nobody_waits_after_a_first_call_that_failed() -> None:
    shared = SharedDialect()
    with pytest.raises(KeyError), shared.call():
        raise KeyError
    with shared.call(), shared.call():
        pass
