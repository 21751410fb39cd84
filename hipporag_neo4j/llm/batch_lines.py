"""The lines of a batch's files: requests on their way up, answers on their way down."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from pydantic import BaseModel, ValidationError

from hipporag_neo4j.answers import EntitiesAnswer, ShapeT, TriplesAnswer, clean
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.llm.batch_api import ENDPOINT
from hipporag_neo4j.llm.cached_model import KeptAnswer, kind_of, to_keep
from hipporag_neo4j.llm.completion import Completion, Usage, read_completion

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
_SHAPES: dict[str, type[EntitiesAnswer] | type[TriplesAnswer]] = {
    kind_of(shape): shape for shape in (EntitiesAnswer, TriplesAnswer)
}
_UNDONE = ("batch_expired", "batch_cancelled")
_REFUSED = (400, 422)
_SHOWN = 300

Hide = Callable[[str], str]
Outcome = Literal["answered", "truncated", "unreadable", "refused", "failed", "undone"]
"""What became of a request. `truncated`: cut off at the token limit; `unreadable`: answered in no usable form;
`refused`: the endpoint doesn't take it as it is put; `failed`: at the endpoint; `undone`: the batch ended before."""


def request_id(key: str, shape: type[BaseModel]) -> str:
    """The custom_id of a request: what is asked for, and the key that its answer is kept under."""
    return f"{kind_of(shape)}-{key}"


@dataclass(slots=True)
class RequestFile:
    """A file of requests, and the keys of what they ask."""

    path: Path
    keys: list[str] = field(default_factory=list)
    size: int = 0


class RequestWriter:
    """Writes requests, a line each, into files in a folder, none with more of them or larger than an endpoint takes.

    `most` files at the most, if given: what comes after isn't written, but counted in `left`. A context manager.
    """

    def __init__(
        self, folder: Path, *, requests: int = MOST_REQUESTS, size: int = MOST_BYTES, most: int | None = None
    ) -> None:
        self.files: list[RequestFile] = []
        self.left = 0
        self._folder = folder
        self._requests = requests
        self._size = size
        self._most = most
        self._opened: IO[bytes] | None = None

    def write(self, key: str, shape: type[BaseModel], body: dict[str, Any]) -> None:
        """Add a request; the same key may be given once."""
        line = {"custom_id": request_id(key, shape), "method": "POST", "url": ENDPOINT, "body": body}
        content = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        full = not self.files or len(self.files[-1].keys) == self._requests
        if full or self.files[-1].size + len(content) > self._size:
            if self.left or len(self.files) == self._most:
                self.left += 1
                return
            self._begin()
        assert self._opened is not None
        self._opened.write(content)
        self.files[-1].keys.append(key)
        self.files[-1].size += len(content)

    def __enter__(self) -> "RequestWriter":
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()

    def _begin(self) -> None:
        if self._opened is not None:
            self._opened.close()
        self.files.append(RequestFile(self._folder / f"requests_{len(self.files) + 1}.jsonl"))
        self._opened = self.files[-1].path.open("wb")


class _Failure(BaseModel):
    code: str | None = None
    message: str | None = None


class _Response(BaseModel):
    status_code: int
    body: Any = None


class _Line(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: _Failure | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a line of an output or error file says of one request.

    `key` is empty where the line can't be read, or names no request as `request_id` does. `complaint`: what the
    endpoint said, or what is wrong with the answer. Tokens are counted for unusable answers, too.
    """

    outcome: Outcome
    key: str = ""
    kept: KeptAnswer | None = None
    complaint: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


def read_results(path: Path, *, model: str, max_tokens: int, hide: Hide) -> Iterator[Result]:
    """What a downloaded file says, line by line, in its order; `read_result` has the parameters."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.strip():
                yield read_result(line, model=model, max_tokens=max_tokens, hide=hide)


def read_result(line: str, *, model: str, max_tokens: int, hide: Hide) -> Result:
    """What one line says; answers of at most `max_tokens` tokens were asked for. `hide` takes secrets out of what the
    endpoint says."""
    try:
        read = _Line.model_validate_json(line)
    except ValidationError:
        return Result("failed", complaint=f"a line that can't be read: {_shown(line, hide)}")
    kind, _, key = read.custom_id.rpartition("-")
    if kind not in _SHAPES or not _is_key(key):
        return Result("failed", complaint=f"a line for a request that was never made: {_shown(read.custom_id, hide)}")
    if read.error is not None:
        undone = read.error.code in _UNDONE
        complaint = _shown(_said(read.error.model_dump()), hide)
        return Result("undone" if undone else "failed", key, complaint=complaint)
    if read.response is None:
        return Result("failed", key, complaint="a line without a response")
    if read.response.status_code != 200:
        complaint = f"{read.response.status_code}: {_shown(_said(read.response.body), hide)}"
        return Result("refused" if read.response.status_code in _REFUSED else "failed", key, complaint=complaint)
    try:
        completion = Completion.model_validate(read.response.body)
    except ValidationError:
        said = _shown(str(read.response.body), hide)
        return Result("failed", key, complaint=f"a response that is no chat completion: {said}")
    return _read_answer(key, completion, _SHAPES[kind], model, max_tokens)


def _read_answer(key: str, completion: Completion, shape: type[ShapeT], model: str, max_tokens: int) -> Result:
    usage = completion.usage or Usage()
    tokens = (usage.prompt_tokens, usage.completion_tokens)
    try:
        answer = read_completion(completion, shape, max_tokens)
    except UnreadableAnswerError as error:
        truncated = completion.choices and completion.choices[0].finish_reason == "length"
        return Result("truncated" if truncated else "unreadable", key, None, str(error), *tokens)
    kept = to_keep(answer, shape, model)
    if kept is None:
        why = f"was cut off at {max_tokens} tokens" if answer.truncated else "stops in the middle"
        return Result("truncated", key, None, f"the answer {why}", *tokens)
    return Result("answered", key, kept, "", *tokens)


def _is_key(text: str) -> bool:
    return len(text) == 32 and all(c in "0123456789abcdef" for c in text)


def _said(body: Any) -> str:
    """The message in an error, in any of the forms that endpoints give it."""
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return str(message)


def _shown(text: str, hide: Hide) -> str:
    cleaned = clean(hide(text).strip())  # first, since half a secret isn't found
    return f"{cleaned[:_SHOWN]}…" if len(cleaned) > _SHOWN else cleaned
