"""A scripted server that speaks the OpenAI protocol: chat completions, embeddings, models, batches, over real HTTP.

By default it answers this product's prompts from the passage itself; a test can give it another rule, a list of
replies to hand out first, and refusals.
"""

import base64
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import numpy as np

from tests.batch_api import Answered, BatchApi
from tests.embedders import HashEmbedder

Cut = Literal["before", "inside"]

_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")


@dataclass(frozen=True)
class Request:
    """A request as it came in. `headers` have lower-case names."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """The last message of a chat request."""
        return str(self.body["messages"][-1]["content"])

    @property
    def structure(self) -> str:
        """How JSON was asked for: `json_schema`, `json_object` or `text`."""
        return str(self.body.get("response_format", {}).get("type", "text"))


@dataclass(frozen=True)
class Reply:
    """What to answer a chat or embeddings request with.

    `delay` in seconds; `cut`: the connection is reset before the response, or in the middle of its body or stream;
    `body`: sent as it stands instead of a completion; `pace`: seconds before each piece of a stream.
    """

    content: str | None = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: Cut | None = None
    finish_reason: str | None = "stop"
    body: str | None = None
    refusal: str | None = None
    counts_tokens: bool = True
    pace: float = 0.0


Rule = Callable[[Request], str | Reply]


def error(status: int, message: str = "scripted failure", *, code: str | None = None, **headers: str) -> Reply:
    """A failure in OpenAI's form; headers such as `retry_after="2"`."""
    body = json.dumps({"error": {"message": message, "type": "scripted", "param": None, "code": code}})
    return Reply(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def names_in(text: str) -> list[str]:
    """The capitalised phrases of a text, in order, each once: what the default rule takes for named entities."""
    return list(dict.fromkeys(_NAME.findall(text)))


def extract_from_prompt(request: Request) -> str:
    """The default rule: the names in the passage or question; the first name related to each of the others."""
    found = re.search(r"<(passage|question)>\n(.*)\n</\1>", request.prompt, re.DOTALL)
    names = names_in(found[2] if found else request.prompt)
    if "<entities>" in request.prompt:
        return json.dumps({"triples": [[names[0], "goes with", other] for other in names[1:]]})
    return json.dumps({"named_entities": names})


def question_from_prompt(request: Request) -> str:
    """A rule for questions on chains of facts: a good one for every chain."""
    named = request.prompt.partition("<named>\n")[2].partition("\n</named>")[0].split("\n")
    answer = request.prompt.partition("<answer>\n")[2].partition("\n</answer>")[0]
    return json.dumps({"question": f"What belongs to {' and '.join(named)}?", "answer": answer.title()})


class LLMServer:
    """The server, running on a thread at `url`.

    `respond`: the rule for chat requests; `script`: replies handed out, in order, before the rule is asked;
    `embeddings_script`: the same for embeddings, where only failing replies make sense; `embeddings_delay`: seconds
    that the others take. `refuses`: parameters refused with a 400, `json_schema` and `json_object` among them.
    `api_key`: the only key accepted, any if None. `models`: the only models known, any if None. `dimensions`: of the
    embeddings. `batch_api`: files and batches, whose requests the same rule answers; they are in `batched`, not in
    `requests`.
    """

    def __init__(self) -> None:
        self.respond: Rule = extract_from_prompt
        self.script: list[str | Reply] = []
        self.embeddings_script: list[Reply] = []
        self.embeddings_delay = 0.0
        self.refuses: set[str] = set()
        self.api_key: str | None = None
        self.models: list[str] | None = None
        self.dimensions = 64
        self.requests: list[Request] = []
        self.batched: list[Request] = []
        self.batch_api = BatchApi(self._answer_batched)
        self.refusals = 0
        self.peak_concurrency = 0
        self._running = 0
        self._connections: set[socket.socket] = set()
        self._lock = threading.RLock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to give as OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def chats(self) -> list[Request]:
        """The chat requests so far."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def close(self) -> None:
        """Stop listening and cut all connections; calling it again does nothing."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the other end has gone already
                    connection.shutdown(socket.SHUT_RDWR)
            self._connections.clear()

    @contextmanager
    def _counted(self, request: Request) -> Iterator[None]:
        with self._lock:
            self.requests.append(request)
            self._running += 1
            self.peak_concurrency = max(self.peak_concurrency, self._running)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _reply(self, request: Request) -> Reply:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        if request.path.endswith("/models"):
            names = self.models or ["scripted"]
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in names]
            return Reply(body=json.dumps({"object": "list", "data": listed}))
        if request.path.endswith("/embeddings"):
            with self._lock:
                scripted = self.embeddings_script.pop(0) if self.embeddings_script else None
            return scripted or Reply(body=json.dumps(self._embeddings(request.body)), delay=self.embeddings_delay)
        if request.path.endswith("/chat/completions"):
            with self._lock:
                answer: str | Reply | None = self.script.pop(0) if self.script else None
            answer = self.respond(request) if answer is None else answer
            return Reply(answer) if isinstance(answer, str) else answer
        return error(404, f"no such path: {request.path}")

    def _answer_batched(self, body: dict[str, Any]) -> Answered:
        """What a request in a batch is answered with; the script isn't for these."""
        request = Request("/v1/chat/completions", body, {})
        self.batched.append(request)
        reply = self._refused_parameter(request) or self.respond(request)
        reply = Reply(reply) if isinstance(reply, str) else reply
        answered: dict[str, Any] = json.loads(reply.body) if reply.body is not None else _completion(request, reply)
        return reply.status, answered

    def _refusal(self, request: Request) -> Reply | None:
        if self.api_key is not None and request.headers.get("authorization") != f"Bearer {self.api_key}":
            given = request.headers.get("authorization", "none")
            return error(401, f"Incorrect API key provided: {given}", code="invalid_api_key")
        model = request.body.get("model")
        if self.models is not None and model is not None and model not in self.models:
            return error(404, f"The model `{model}` does not exist", code="model_not_found")
        return self._refused_parameter(request)

    def _refused_parameter(self, request: Request) -> Reply | None:
        structure = request.structure if "messages" in request.body else "text"
        refused = structure if structure in self.refuses else next((p for p in request.body if p in self.refuses), None)
        if refused is None:
            return None
        with self._lock:
            self.refusals += 1
        if refused == structure:
            return error(400, f"'response_format' of type '{structure}' is not supported with this model")
        hint = " Use 'max_completion_tokens' instead." if refused == "max_tokens" else ""
        return error(400, f"Unsupported parameter: '{refused}' is not supported with this model.{hint}")

    def _embeddings(self, body: Mapping[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        vectors = HashEmbedder(int(body.get("dimensions", self.dimensions))).embed(texts)
        coded: list[Any] = [
            _base64(row) if body.get("encoding_format") == "base64" else row.tolist() for row in vectors
        ]
        data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(coded)]
        count = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "model": body["model"], "data": data, "usage": usage}


@contextmanager
def running_llm_server() -> Iterator[LLMServer]:
    """An LLMServer for the length of a `with` block."""
    server = LLMServer()
    try:
        yield server
    finally:
        server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    owner: LLMServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of what is tested: nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        with self.server.owner._lock:
            self.server.owner._connections.add(self.connection)

    def finish(self) -> None:
        with self.server.owner._lock:
            self.server.owner._connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", "0")))
        batches = self.path.startswith(("/v1/files", "/v1/batches"))
        self._serve({} if batches else json.loads(content), content)

    def log_message(self, format: str, *args: Any) -> None:
        """No lines on standard error."""

    def _serve(self, body: dict[str, Any], content: bytes = b"") -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path.partition("?")[0], body, headers)
        with self.server.owner._counted(request):
            reply = self._reply_to_batches(request, content) or self.server.owner._reply(request)
            time.sleep(reply.delay)
            if reply.cut == "before":
                self._reset()
            elif body.get("stream") and reply.body is None:
                self._stream(request, reply)
            else:
                self._send(reply, reply.body if reply.body is not None else json.dumps(_completion(request, reply)))

    def _reply_to_batches(self, request: Request, content: bytes) -> Reply | None:
        owner = self.server.owner
        if not request.path.startswith(("/v1/files", "/v1/batches")) or owner._refusal(request) is not None:
            return None
        with owner._lock:
            answer = owner.batch_api.handle(
                self.command, request.path, self.path.partition("?")[2], self.headers.get("content-type", ""), content
            )
        return Reply(cut="before") if answer is None else Reply(status=answer[0], body=answer[1])

    def _send(self, reply: Reply, text: str) -> None:
        content = text.encode()
        self._head(reply, "application/json", {"Content-Length": str(len(content))})
        if reply.cut == "inside":
            self.wfile.write(content[: len(content) // 2])
            self._reset()
        else:
            self.wfile.write(content)

    def _stream(self, request: Request, reply: Reply) -> None:
        self._head(reply, "text/event-stream", {"Transfer-Encoding": "chunked"})
        events = [json.dumps(chunk) for chunk in _chunks(request, reply)]
        for event in events[: len(events) // 2] if reply.cut == "inside" else [*events, "[DONE]"]:
            time.sleep(reply.pace)
            self._chunk(f"data: {event}\n\n".encode())
        if reply.cut == "inside":
            self._reset()
        else:
            self._chunk(b"")

    def _head(self, reply: Reply, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Type": content_type, **headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")

    def _reset(self) -> None:
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True


def _completion(request: Request, reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    completion = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}],
    }
    return {**completion, "usage": _usage(request, reply)} if reply.counts_tokens else completion


def _chunks(request: Request, reply: Reply) -> Iterator[dict[str, Any]]:
    head = {
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0, "model": request.body.get("model")
    }  # fmt: skip
    pieces = re.findall(r".{1,8}", reply.content or "", re.DOTALL)
    for delta in [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]}
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(request, reply)}


def _usage(request: Request, reply: Reply) -> dict[str, int]:
    """Words count as tokens."""
    prompt = sum(len(message["content"].split()) for message in request.body["messages"])
    answer = len((reply.content or "").split())
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _base64(row: np.ndarray[Any, np.dtype[np.float32]]) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()
