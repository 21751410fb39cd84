"""Sends what a model has to be asked as batches: written to files, announced in the graph, uploaded, created."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hipporag_neo4j.errors import LLMError, ModelError
from hipporag_neo4j.indexing.batch_store import SENDING, BatchStore, Troubles, dialect_text, pack
from hipporag_neo4j.indexing.missing_requests import Asked
from hipporag_neo4j.llm import nudged
from hipporag_neo4j.llm.batch_api import BatchApi, UncertainBatchError
from hipporag_neo4j.llm.batch_lines import MOST_BYTES, MOST_REQUESTS, RequestFile, RequestWriter
from hipporag_neo4j.llm.dialect import Dialect
from hipporag_neo4j.llm.request import chat_request

ASKED_IN_BATCHES = 2
"""How often a request is sent in batches before it is left to a call of its own."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round of a job sends. `at_once`: the most requests for one batch, which then goes alone."""

    job: str
    number: int
    name: str
    identity: tuple[str, ...]
    max_tokens: int
    dialect: Dialect
    source: str | None
    passage_size: int
    patience: float
    at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a round: requests that were sent, that wait for a later round, and that are left to calls of their
    own. `faster`: another client sent it, or gave it up, and this one sent nothing."""

    requests: int = 0
    left: int = 0
    alone: int = 0
    faster: bool = False


def send_round(store: BatchStore, api: BatchApi, this: Round, asked: Iterable[Asked], troubles: Troubles) -> Sent:
    """Send each request once, in as many batches as an endpoint's limits demand.

    Killed between two steps, it leaves an announcement from which the next client finds out what came to be. Raises
    LLMError; what was created before stays.
    """
    with TemporaryDirectory() as folder:
        files, left, alone = _write(Path(folder), this, asked, troubles)
        if not files:
            return Sent(alone=alone)
        announced = [_announcement(this, file) for file in files]
        if not store.claim(this.job, this.number, announced):
            return Sent(faster=True)
        sent = 0
        for position, (file, properties) in enumerate(zip(files, announced, strict=True)):
            try:
                sent += _send(store, api, file, properties["id"])
            except ModelError:
                for rest in announced[position + 1 :]:
                    store.forget(rest["id"])
                raise
        return Sent(sent, left, alone, faster=not sent)


def _write(folder: Path, this: Round, asked: Iterable[Asked], troubles: Troubles) -> tuple[list[RequestFile], int, int]:
    """The files of a round, how many requests wait for a later one, and how many no batch could answer."""
    seen: set[str] = set()
    alone = 0
    most = None if this.at_once is None else 1
    with RequestWriter(folder, requests=this.at_once or MOST_REQUESTS, size=MOST_BYTES, most=most) as writer:
        for request in asked:
            if request.key in seen:
                continue
            seen.add(request.key)
            unreadable = troubles.unreadable.get(request.key, 0)
            if request.key in troubles.hopeless or unreadable + troubles.failed.get(request.key, 0) >= ASKED_IN_BATCHES:
                alone += 1
                continue
            messages = nudged(request.messages) if unreadable else request.messages
            body = chat_request(this.name, messages, request.shape, this.dialect, this.max_tokens)
            writer.write(request.key, request.shape, body)
    return writer.files, writer.left, alone


def _announcement(this: Round, file: RequestFile) -> dict[str, Any]:
    return {
        "id": uuid.uuid4().hex,
        "status": SENDING,
        "requests": len(file.keys),
        "keys": pack(file.keys),
        "source": this.source,
        "passage_size": this.passage_size,
        "identity": list(this.identity),
        "dialect": dialect_text(this.dialect),
        "patience": this.patience,
        "at_once": this.at_once,
    }


def _send(store: BatchStore, api: BatchApi, file: RequestFile, id_: str) -> int:
    """Upload and create one batch; how many requests it has, 0 where another client gave it up meanwhile."""
    if not store.renew(id_):
        return 0
    try:
        uploaded = api.upload(file.path)
        if not store.renew(id_):
            return 0
        created = api.create(uploaded, token=id_, namespace=store.namespace)
    except UncertainBatchError:
        raise  # the announcement stays: the next client looks whether the batch came to be
    except ModelError:
        store.forget(id_)
        raise
    if not store.note(id_, created):
        api.cancel(created.id)
        raise LLMError(
            f"The batch {created.id} took so long to be created that another client gave it up; it is cancelled. Run "
            "`hipporag-neo4j index --resume`."
        )
    return len(file.keys)
