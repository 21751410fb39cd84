"""A language model whose answers are kept, so that the same is not paid for twice."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from hipporag_neo4j.answers import ShapeT, is_whole, read_answer, strict_schema
from hipporag_neo4j.domain import Message
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.llm import NUDGE, Answer, IdentifiedModel, Listener


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as it is kept: its raw text, so that a better reader can read it again, and what it had cost.

    `kind` is what was asked for: `entities`, `triples`, `facts` …
    """

    text: str
    kind: str
    model: str
    prompt_tokens: int
    completion_tokens: int


class AnswerStore(Protocol):
    """Where answers are kept; called by several threads at once. What goes wrong there is raised, never passed over."""

    def find(self, key: str) -> str | None:
        """The text kept under a key, None where there is none."""

    def find_all(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The texts kept under some of the keys."""

    def keep(self, key: str, answer: KeptAnswer) -> None:
        """Keep an answer, in the place of an older one under the same key."""


class CachedModel:
    """A LanguageModel that answers from a store what was asked before, and keeps what is new.

    Only answers that are whole and can be read are kept, so that a question which failed is asked again. Threads that
    ask the same at once wait for one of them to be answered.
    """

    def __init__(self, model: IdentifiedModel, store: AnswerStore) -> None:
        self._model = model
        self._store = store
        self._turns = _Turns()

    @property
    def name(self) -> str:
        """The model's name, for reports."""
        return self._model.name

    @property
    def keeps_for(self) -> tuple[str, ...]:
        """The identity of the model whose answers are kept."""
        return self._model.identity

    def answer(
        self, messages: Sequence[Message], shape: type[ShapeT], listener: Listener | None = None
    ) -> Answer[ShapeT]:
        """The kept answer, else the model's; see LanguageModel. Raises what the store raises, too."""
        key = key_of(self._model.identity, messages, shape)
        with self._turns.of(key):
            kept = self._find(key, shape)
            if kept is not None:
                if listener is not None:
                    listener.begin()
                    listener.hear(kept.raw)
                return kept
            answer = self._model.answer(messages, shape, listener)
            if (kept_from_now := to_keep(answer, shape, self.name)) is not None:
                self._store.keep(key, kept_from_now)
            return answer

    def kept(self, conversations: Sequence[Sequence[Message]], shape: type[ShapeT]) -> list[ShapeT | None]:
        """What is kept of each conversation, None where the model would be asked; it isn't."""
        keys = [key_of(self._model.identity, messages, shape) for messages in conversations]
        texts = self._store.find_all(keys)
        answers = (_read(texts.get(key), shape) for key in keys)
        return [answer.value if answer is not None else None for answer in answers]

    def _find(self, key: str, shape: type[ShapeT]) -> Answer[ShapeT] | None:
        return _read(self._store.find(key), shape)


def to_keep(answer: Answer[ShapeT], shape: type[ShapeT], model: str) -> KeptAnswer | None:
    """A model's answer as it is kept; None for one that isn't, since it was cut off or stops in the middle."""
    if answer.truncated or not is_whole(answer.raw, shape):
        return None
    return KeptAnswer(
        text=answer.raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"),
        kind=kind_of(shape),
        model=model,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
    )


def _read(raw: str | None, shape: type[ShapeT]) -> Answer[ShapeT] | None:
    if raw is None:
        return None
    try:
        return Answer(read_answer(raw, shape), raw=raw, from_cache=True)
    except UnreadableAnswerError:  # kept by a version that read more; the new answer takes its place
        return None


def key_of(identity: Sequence[str], messages: Sequence[Message], shape: type[BaseModel]) -> str:
    """What an answer is kept under: a hash of the model, the messages, and the schema of the answer.

    A question that is asked again, since its first answer was unreadable, counts as the same one.
    """
    said = [(message.role, message.content.removesuffix(NUDGE)) for message in messages]
    asked = json.dumps([list(identity), said, strict_schema(shape)], sort_keys=True)
    return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()


def kind_of(shape: type[BaseModel]) -> str:
    """What a shape asks for: `entities` for EntitiesAnswer, `further facts` for FurtherFactsAnswer."""
    name = shape.__name__.removesuffix("Answer")
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip() or "answer"


class _Turns:
    """Lets one thread at a time work on a key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        with self._lock:
            turn, others = self._waiting.get(key, (threading.Lock(), 0))
            self._waiting[key] = turn, others + 1
        try:
            with turn:
                yield
        finally:
            with self._lock:
                left = self._waiting[key][1] - 1
                if left:
                    self._waiting[key] = turn, left
                else:
                    del self._waiting[key]
