"""The Batch API of the scripted server: files and batches, checked as OpenAI does, with troubles to switch on."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qs

LINE_KEYS = {"custom_id", "method", "url", "body"}

Answered = tuple[int, dict[str, Any]]
"""Status and body of the response to a chat request."""


@dataclass
class StoredFile:
    """A file at the server."""

    id: str
    purpose: str
    content: bytes


@dataclass
class StoredBatch:
    """A batch at the server; `steps` are the states still before it, one for each time somebody asks."""

    id: str
    input_file: StoredFile
    endpoint: str
    metadata: Mapping[str, str]
    steps: list[str]
    status: str = "validating"
    errors: list[dict[str, Any]] = field(default_factory=list)
    output_file: str | None = None
    error_file: str | None = None
    total: int = 0
    completed: int = 0
    failed: int = 0

    def values(self) -> dict[str, Any]:
        """As the API tells it."""
        times = dict.fromkeys(
            f"{state}_at" for state in ("in_progress", "finalizing", "completed", "failed", "expired")
        )
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": self.endpoint,
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
            "input_file_id": self.input_file.id,
            "completion_window": "24h",
            "status": self.status,
            "output_file_id": self.output_file,
            "error_file_id": self.error_file,
            "created_at": 0,
            "expires_at": 86_400,
            **times,
            "request_counts": {"total": self.total, "completed": self.completed, "failed": self.failed},
            "metadata": dict(self.metadata),
        }


class BatchApi:
    """What lies under /v1/files and /v1/batches.

    `steps`: the states that a new batch goes through, one each time somebody asks for it, the last one stays.
    `answers`: how many requests of a batch are answered before it expires or is cancelled. `lost`: the custom_ids of
    requests that get no line at all. `spoil` changes the output file's text. `absent`: the server has no Batch API.
    `most_enqueued`: requests that unfinished batches may hold together. `most_requests`, `most_bytes`: of a file.
    `fail_batches`: errors with which the next batches fail. `refuse_creation`: statuses for the next creations.
    `lose_reply`: the next creation succeeds, and its reply is cut. `failing_downloads`: statuses for the next ones.
    """

    def __init__(self, answer: Callable[[dict[str, Any]], Answered]) -> None:
        self.steps: Sequence[str] = ("completed",)
        self.answers: int | None = None
        self.lost: Callable[[str], bool] = lambda custom_id: False
        self.spoil: Callable[[str], str] = lambda text: text
        self.absent = False
        self.most_enqueued: int | None = None
        self.most_requests = 50_000
        self.most_bytes = 200_000_000
        self.fail_batches: list[list[dict[str, Any]]] = []
        self.refuse_creation: list[int] = []
        self.lose_reply = False
        self.failing_downloads: list[int] = []
        self.files: dict[str, StoredFile] = {}
        self.batches: dict[str, StoredBatch] = {}
        self.downloads = 0
        self._answer = answer
        self._numbers = itertools.count(1)

    @property
    def sent(self) -> list[list[dict[str, Any]]]:
        """The lines of each batch so far."""
        return [_lines(batch.input_file.content) for batch in self.batches.values()]

    def handle(self, method: str, path: str, query: str, content_type: str, content: bytes) -> tuple[int, str] | None:
        """Status and text of the response; None cuts the connection."""
        parts = path.removeprefix("/v1/").split("/")
        if self.absent:
            return _error(404, f"Not Found: {path}")
        if parts == ["files"] and method == "POST":
            return self._upload(content_type, content)
        if parts[0] == "files" and len(parts) == 3 and parts[2] == "content":
            return self._download(parts[1])
        if parts == ["batches"] and method == "POST":
            return self._create(json.loads(content))
        if parts == ["batches"]:
            return self._list({name: values[0] for name, values in parse_qs(query).items()})
        if parts[0] == "batches" and len(parts) > 1 and parts[1] not in self.batches:
            return _error(404, f"No batch found with id '{parts[1]}'.")
        if parts[0] == "batches" and len(parts) == 2:
            return self._retrieve(self.batches[parts[1]])
        if parts[0] == "batches" and parts[2:] == ["cancel"] and method == "POST":
            return self._cancel(self.batches[parts[1]])
        return _error(404, f"no such path: {path}")

    def _upload(self, content_type: str, content: bytes) -> tuple[int, str]:
        form = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + content)
        fields: dict[str, Any] = {
            str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
            for part in form.iter_parts()
        }
        if fields.get("purpose") != b"batch":
            return _error(400, f"{fields.get('purpose')!r} is not one of the allowed purposes.")
        if len(fields["file"]) > self.most_bytes:
            return _error(400, "File is too large.")
        file = self._store("batch", fields["file"])
        return 200, json.dumps(
            {
                "id": file.id, "object": "file", "bytes": len(file.content), "created_at": 0, "filename": "x.jsonl",
                "purpose": "batch", "status": "processed",
            }
        )  # fmt: skip

    def _download(self, name: str) -> tuple[int, str]:
        self.downloads += 1
        if self.failing_downloads:
            return _error(self.failing_downloads.pop(0), "the file can't be had now")
        if name not in self.files:
            return _error(404, f"No such File object: {name}")
        return 200, self.files[name].content.decode()

    def _create(self, body: Mapping[str, Any]) -> tuple[int, str] | None:
        if self.refuse_creation:
            return _error(self.refuse_creation.pop(0), "no batch for you")
        file = self.files.get(body["input_file_id"])
        if file is None or file.purpose != "batch":
            return _error(400, f"No such File object: {body['input_file_id']}")
        if body["endpoint"] != "/v1/chat/completions" or body["completion_window"] != "24h":
            return _error(400, "Invalid value for endpoint or completion_window.")
        metadata = body.get("metadata") or {}
        if len(metadata) > 16 or any(len(k) > 64 or len(v) > 512 for k, v in metadata.items()):
            return _error(400, "Invalid metadata.")
        batch = StoredBatch(f"batch_{next(self._numbers)}", file, body["endpoint"], metadata, list(self.steps))
        self.batches[batch.id] = batch
        batch.errors = self.fail_batches.pop(0) if self.fail_batches else self._problems(batch)
        if self.lose_reply:
            self.lose_reply = False
            return None
        return 200, json.dumps(batch.values())

    def _problems(self, batch: StoredBatch) -> list[dict[str, Any]]:
        """What is wrong with a file, as OpenAI finds it after the batch was created."""
        problems: list[tuple[str, int | None, str]] = []
        lines = batch.input_file.content.decode().splitlines()
        if not lines:
            problems.append(("empty_file", None, "The batch input file is empty."))
        if len(lines) > self.most_requests:
            problems.append(("too_many_tasks", None, f"The file has more than {self.most_requests} requests."))
        seen: set[str] = set()
        models: set[str] = set()
        for number, text in enumerate(lines, start=1):
            try:
                line = json.loads(text)
            except ValueError:
                problems.append(("invalid_json_line", number, "This line is not parseable as valid JSON."))
                continue
            if set(line) != LINE_KEYS or not line["body"].get("model") or not line["body"].get("messages"):
                problems.append(("missing_required_parameter", number, "A required parameter is missing."))
                continue
            if line["method"] != "POST" or line["url"] != batch.endpoint or line["body"].get("stream"):
                problems.append(("invalid_request", number, "The method, URL or stream parameter is invalid."))
            if line["custom_id"] in seen or len(line["custom_id"]) > 64:
                problems.append(("duplicate_custom_id", number, "The custom_id is used before, or too long."))
            seen.add(line["custom_id"])
            models.add(line["body"]["model"])
        if len(models) > 1:
            problems.append(("mismatched_model", None, "All requests of a batch must use the same model."))
        unfinished = [b for b in self.batches.values() if b.status in ("validating", "in_progress") and not b.errors]
        if self.most_enqueued is not None and sum(_count(b) for b in unfinished) > self.most_enqueued:
            message = f"Enqueued token limit reached for scripted. Limit: {self.most_enqueued} enqueued tokens."
            problems = [("token_limit_exceeded", None, message)]
        return [{"code": code, "line": line, "message": text, "param": None} for code, line, text in problems]

    def _list(self, query: Mapping[str, str]) -> tuple[int, str]:
        newest = list(reversed(self.batches.values()))
        if after := query.get("after"):
            newest = newest[[batch.id for batch in newest].index(after) + 1 :]
        some = newest[: int(query.get("limit", "20"))]
        listed = [batch.values() for batch in some]
        return 200, json.dumps({"object": "list", "data": listed, "has_more": len(some) < len(newest)})

    def _retrieve(self, batch: StoredBatch) -> tuple[int, str]:
        if batch.errors:
            batch.status = "failed"
        elif batch.status == "cancelling":
            self._end(batch, "cancelled")
        elif batch.steps and batch.status not in ("completed", "expired", "cancelled"):
            state = batch.steps.pop(0) if len(batch.steps) > 1 else batch.steps[0]
            batch.total = _count(batch)
            if state in ("completed", "expired", "cancelled"):
                self._end(batch, state)
            else:
                batch.status = state
        return 200, json.dumps(batch.values())

    def _cancel(self, batch: StoredBatch) -> tuple[int, str]:
        if batch.status in ("completed", "failed", "expired", "cancelled"):
            return _error(409, f"Cannot cancel a batch with status '{batch.status}'.")
        batch.status = "cancelling"
        return 200, json.dumps(batch.values())

    def _end(self, batch: StoredBatch, status: str) -> None:
        """Answer the requests, or those that came before the end, and write the files: answers in another order."""
        lines = _lines(batch.input_file.content)
        done = len(lines) if status == "completed" or self.answers is None else self.answers
        outputs: list[dict[str, Any]] = []
        errors: list[dict[str, Any]] = []
        for number, line in enumerate(lines):
            custom_id = line["custom_id"]
            if self.lost(custom_id):
                continue
            head = {"id": f"batch_req_{number}", "custom_id": custom_id}
            if number >= done:
                reason = "batch_expired" if status == "expired" else "batch_cancelled"
                failure = {"code": reason, "message": "This request could not be executed before the batch ended."}
                errors.append({**head, "response": None, "error": failure})
                continue
            code, body = self._answer(line["body"])
            answered = {
                **head, "response": {"status_code": code, "request_id": f"req_{number}", "body": body}, "error": None
            }  # fmt: skip
            (outputs if code == 200 else errors).append(answered)
        batch.completed, batch.failed = len(outputs), len(errors)
        batch.status = status
        if outputs:
            text = "".join(json.dumps(line) + "\n" for line in reversed(outputs))
            batch.output_file = self._store("batch_output", self.spoil(text).encode()).id
        if errors:
            text = "".join(json.dumps(line) + "\n" for line in errors)
            batch.error_file = self._store("batch_output", text.encode()).id

    def _store(self, purpose: str, content: bytes) -> StoredFile:
        file = StoredFile(f"file-{next(self._numbers)}", purpose, content)
        self.files[file.id] = file
        return file


def _lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def _count(batch: StoredBatch) -> int:
    return len(batch.input_file.content.splitlines())


def _error(status: int, message: str) -> tuple[int, str]:
    return status, json.dumps({"error": {"message": message, "type": "scripted", "param": None, "code": None}})
