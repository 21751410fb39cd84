"""What the graph remembers of batches, so that any machine can collect them: a `HippoBatch` node for each."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from hipporag_neo4j.answer_cache import GraphAnswerStore
from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.llm.batch_api import BatchState
from hipporag_neo4j.llm.dialect import Dialect

SENDING = "sending"
"""The status of a batch that is announced here and not known to be at the endpoint."""
_KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch as the graph remembers it.

    `id` is ours, `batch` the endpoint's, None while nobody knows whether it came to be. A job is all rounds from the
    first request to the last answer. `age`: seconds since its sender last gave a sign of life; after `patience` it
    counts as cut off. `at_once`: the most requests that a batch of this round may hold, None for the endpoint's limit.

    Collected, `kept` answers were kept; the others were `unreadable_answers`, `cut_off` at the token limit, `refused`
    by the endpoint, `failures` there, or `undone` when the batch ended. `answered` and `unanswered` are the endpoint's
    counts while it is at work. `cost` is what its tokens cost at the price of batches, None where none was known;
    `run` is the run that wrote the graph from its answers.
    """

    id: str
    job: str
    round: int
    batch: str | None
    status: str
    requests: int
    source: str | None
    passage_size: int
    identity: tuple[str, ...]
    dialect: Dialect
    age: int
    patience: float
    created: datetime
    at_once: int | None = None
    collected: datetime | None = None
    finished: datetime | None = None
    answered: int = 0
    unanswered: int = 0
    kept: int = 0
    unreadable_answers: int = 0
    cut_off: int = 0
    refused: int = 0
    failures: int = 0
    undone: int = 0
    over_limit: bool = False
    error: str | None = None
    complaint: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    currency: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Troubles:
    """Requests of a job, by key, that got no usable answer: how often each one was `unreadable` and `failed`, and which
    ones are `hopeless`, since the same would come again."""

    unreadable: Mapping[str, int]
    failed: Mapping[str, int]
    hopeless: frozenset[str]


def pack(keys: Sequence[str]) -> bytes:
    """Keys as they are stored, 16 bytes each."""
    return b"".join(bytes.fromhex(key) for key in keys)


def unpack(packed: bytes | None) -> list[str]:
    """What was packed."""
    found = packed or b""
    return [found[begin : begin + _KEY_BYTES].hex() for begin in range(0, len(found), _KEY_BYTES)]


@dataclass(frozen=True, slots=True)
class BatchStore:
    """The batches of one namespace. Raises DatabaseError as every statement does."""

    database: Database
    namespace: str

    @property
    def answers(self) -> GraphAnswerStore:
        """Where their answers are kept."""
        return GraphAnswerStore(self.database, self.namespace)

    def read(self) -> tuple[SentBatch, ...]:
        """All batches, oldest first."""
        rows = self.database.run("batch/list_batches", namespace=self.namespace)
        return tuple(_read(row["batch"], row["age"]) for row in rows)

    def open_job(self) -> tuple[SentBatch, ...]:
        """The batches of the job that is under way; none where there isn't one."""
        return tuple(batch for batch in self.read() if batch.finished is None)

    def claim(self, job: str, number: int, batches: Sequence[Mapping[str, Any]]) -> bool:
        """Announce the batches of a round; False where another client was faster."""
        return bool(
            self.database.run(
                "batch/claim_batches", namespace=self.namespace, job=job, round=number, batches=list(batches)
            )
        )

    def renew(self, id_: str) -> bool:
        """Give a sign of life while a batch is sent; False where it was given up meanwhile."""
        return bool(self.database.run("batch/renew_batch", namespace=self.namespace, id=id_))

    def note(self, id_: str, state: BatchState) -> bool:
        """Keep what the endpoint says; False where the batch was given up meanwhile."""
        properties = {
            "batch": state.id,
            "status": state.status,
            "answered": state.answered,
            "unanswered": state.failed,
            "over_limit": state.over_limit,
            "error": "; ".join(state.errors) or None,
        }
        return bool(self.database.run("batch/note_batch", namespace=self.namespace, id=id_, properties=properties))

    def forget(self, id_: str) -> None:
        """Take back the announcement of a batch that never came to be."""
        self.database.run("batch/delete_batch", namespace=self.namespace, id=id_)

    def keys(self, id_: str) -> list[str]:
        """What a batch asks for, by key; empty where it was collected meanwhile."""
        rows = self.database.run("batch/read_keys", namespace=self.namespace, id=id_)
        return unpack(rows[0]["keys"]) if rows else []

    def collect(self, id_: str, figures: Mapping[str, Any]) -> None:
        """A batch's answers are kept: remember how it went, unless another client has just done the same."""
        self.database.run("batch/collect_batch", namespace=self.namespace, id=id_, properties=dict(figures))

    def troubles(self, job: str) -> Troubles:
        """Which requests of a job got no usable answer."""
        rows = self.database.run("batch/read_troubles", namespace=self.namespace, job=job)
        return Troubles(
            unreadable=Counter(key for row in rows for key in unpack(row["unreadable"])),
            failed=Counter(key for row in rows for key in unpack(row["failed"])),
            hopeless=frozenset(key for row in rows for key in unpack(row["hopeless"])),
        )

    def finish(self, job: str, run: str | None = None) -> None:
        """A job is over; its batches stay as a record, with the run that wrote the graph from their answers."""
        self.database.run("batch/finish_job", namespace=self.namespace, job=job, run=run)


def dialect_text(dialect: Dialect) -> str:
    """A dialect as it is stored."""
    return json.dumps(asdict(dialect))


def _read(properties: Row, age: int) -> SentBatch:
    known = {
        name: value.to_native() if name in ("created", "collected", "finished") else value
        for name, value in properties.items()
        if value is not None
    }
    given = {"batch": None, "source": None, "identity": tuple(known.pop("identity"))}
    return SentBatch(**{**given, **known, "dialect": Dialect(**json.loads(known["dialect"])), "age": age})
