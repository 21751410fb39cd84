"""Files of requests keep to an endpoint's limits; every kind of line in a file of answers is understood."""

import json
from pathlib import Path
from typing import Any

import pytest

from hipporag_neo4j.answers import EntitiesAnswer, TriplesAnswer
from hipporag_neo4j.llm.batch_lines import RequestWriter, read_result, read_results, request_id

KEY = "0123456789abcdef0123456789abcdef"
LUND = '{"named_entities": ["Lund"]}'


def answered(content: object, *, finish_reason: str = "stop", **changes: object) -> str:
    """A line of an output file."""
    body = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    line = {
        "id": "batch_req_1", "custom_id": f"entities-{KEY}",
        "response": {"status_code": 200, "request_id": "r", "body": body}, "error": None,
    }  # fmt: skip
    return json.dumps(line | changes)


def refused(status: int, body: Any) -> str:
    return answered("", response={"status_code": status, "request_id": "r", "body": body})


def failed(code: str, message: str) -> str:
    return answered("", response=None, error={"code": code, "message": message})


@pytest.mark.parametrize(
    ("line", "outcome", "complaint"),
    [
        (answered(LUND), "answered", ""),
        (answered(LUND, custom_id=f"triples-{KEY}"), "unreadable", "no "),
        (answered("I can't."), "unreadable", "I can't."),
        (answered(None), "unreadable", "empty"),
        (answered('{"named_entities": ["Lund", "Ro', finish_reason="length"), "truncated", "cut off at 50 tokens"),
        (answered("Well", finish_reason="length"), "truncated", "cut off at 50 tokens"),
        (answered('{"named_entities": ["Lund", "Ro'), "truncated", "stops in the middle"),
        (refused(400, {"error": {"message": "too long", "code": "x"}}), "refused", "400: too long"),
        (refused(429, {"error": {"message": "slow down"}}), "failed", "429: slow down"),
        (refused(500, {"error": "boom"}), "failed", "500: boom"),
        (refused(502, "<html>"), "failed", "502: <html>"),
        (refused(200, {"object": "list"}), "failed", "no chat completion"),
        (failed("batch_expired", "too late"), "undone", "too late"),
        (failed("batch_cancelled", "stopped"), "undone", "stopped"),
        (failed("server_error", "boom"), "failed", "boom"),
        (answered("", response=None), "failed", "without a response"),
    ],
)
def test_a_line_is_understood(line: str, outcome: str, complaint: str) -> None:
    result = read_result(line, model="m", max_tokens=50, hide=str)
    assert (result.outcome, result.key) == (outcome, KEY)
    assert complaint in result.complaint
    assert (result.kept is not None) == (outcome == "answered")


def test_an_answer_is_kept_with_what_it_cost() -> None:
    kept = read_result(answered(LUND), model="m", max_tokens=50, hide=str).kept
    assert kept is not None
    assert (kept.text, kept.kind, kept.model, kept.prompt_tokens, kept.completion_tokens) == (
        LUND, "entities", "m", 7, 3
    )  # fmt: skip
    wasted = read_result(answered("no"), model="m", max_tokens=50, hide=str)
    assert (wasted.prompt_tokens, wasted.completion_tokens) == (7, 3)


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", "{}", answered(LUND, custom_id="mine"), answered(LUND, custom_id=f"jokes-{KEY}"),
     answered(LUND, custom_id="entities-xyz")],
)  # fmt: skip
def test_what_is_no_answer_to_a_request_of_ours_has_no_key(line: str) -> None:
    result = read_result(line, model="m", max_tokens=50, hide=str)
    assert (result.outcome, result.key, result.kept) == ("failed", "", None)
    assert result.complaint


@pytest.mark.parametrize("before", [0, 290])
def test_a_secret_that_the_endpoint_repeats_is_hidden_before_its_words_are_cut(before: int) -> None:
    said = "x" * before + "sk-secret"
    for line in (
        refused(401, {"error": said}),
        failed("x", said),
        refused(200, said),
        said,
        answered(LUND, custom_id=said),
    ):
        result = read_result(line, model="m", max_tokens=50, hide=lambda text: text.replace("sk-secret", "***"))
        assert "***" in result.complaint
        assert "sk-" not in result.complaint


def test_files_are_read_in_their_order_with_empty_lines_left_out(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(f"{answered(LUND)}\n\n{failed('x', 'boom')}\n".encode() + b"\xff\xfe broken\n")
    assert [r.outcome for r in read_results(path, model="m", max_tokens=50, hide=str)] == [
        "answered",
        "failed",
        "failed",
    ]


def keys(number: int) -> list[str]:
    return [f"{i:032x}" for i in range(number)]


def test_requests_are_spread_over_files(tmp_path: Path) -> None:
    with RequestWriter(tmp_path, requests=3) as writer:
        for key in keys(7):
            writer.write(key, TriplesAnswer, {"model": "m", "messages": []})
    assert [len(file.keys) for file in writer.files] == [3, 3, 1]
    assert [key for file in writer.files for key in file.keys] == keys(7)
    lines = [json.loads(line) for file in writer.files for line in file.path.read_text().splitlines()]
    assert [line["custom_id"] for line in lines] == [request_id(key, TriplesAnswer) for key in keys(7)]
    assert {line["method"] for line in lines} == {"POST"}
    assert {line["url"] for line in lines} == {"/v1/chat/completions"}
    assert lines[0]["body"] == {"model": "m", "messages": []}
    assert max(len(line["custom_id"]) for line in lines) <= 64


def test_no_file_is_larger_than_allowed(tmp_path: Path) -> None:
    with RequestWriter(tmp_path, size=1000) as writer:
        for key in keys(20):
            writer.write(key, EntitiesAnswer, {"model": "m", "messages": ["é" * 50]})
    sizes = [file.path.stat().st_size for file in writer.files]
    assert max(sizes) <= 1000
    assert [file.size for file in writer.files] == sizes
    assert sum(len(file.keys) for file in writer.files) == 20
    assert len(sizes) > 1


def test_what_does_not_fit_into_the_files_is_counted(tmp_path: Path) -> None:
    with RequestWriter(tmp_path, requests=2, most=1) as writer:
        for key in keys(5):
            writer.write(key, EntitiesAnswer, {})
    assert [file.keys for file in writer.files] == [keys(2)]
    assert writer.left == 3
