"""What an endpoint understands of the chat protocol: learnt once, from its refusals, and shared by all threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel

from hipporag_neo4j.answers import strict_schema

Structure = Literal["json_schema", "json_object", "text"]

_NEXT_STRUCTURE: dict[Structure, Structure] = {"json_schema": "json_object", "json_object": "text"}
_ABOUT_STRUCTURE = (
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "structured output",
    "grammar",
)
_ABOUT_LENGTH = ("context length", "context_length", "context window", "too large", "too long")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is put. `structure`: how JSON is asked for, strictest first."""

    structure: Structure = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def parameters(self, shape: type[BaseModel], max_tokens: int) -> dict[str, Any]:
        """The request's parameters beside model and messages, for an answer in `shape`."""
        parameters: dict[str, Any] = {self.limit: max_tokens}
        if self.temperature:
            parameters["temperature"] = 0
        if self.structure == "json_schema":
            parameters["response_format"] = {"type": "json_schema", "json_schema": strict_schema(shape)}
        elif self.structure == "json_object":
            parameters["response_format"] = {"type": "json_object"}
        return parameters

    def without(self, complaint: str) -> "Dialect | None":
        """The dialect that avoids what the endpoint complained about; None when it's about something else."""
        said = complaint.lower()
        if any(word in said for word in _ABOUT_LENGTH):
            return None
        if self.limit == "max_tokens" and "max_completion_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.structure in _NEXT_STRUCTURE and any(word in said for word in _ABOUT_STRUCTURE):
            return replace(self, structure=_NEXT_STRUCTURE[self.structure])
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return None


class SharedDialect:
    """The dialect that all threads use.

    The first call goes alone, so that threads that start together don't each pay for the same refusals. Once it has
    ended, well or not, nobody waits again.
    """

    def __init__(self) -> None:
        self._current = Dialect()
        self._lock = threading.Lock()
        self._first_call = threading.Lock()
        self._first_is_over = threading.Event()

    @property
    def current(self) -> Dialect:
        """The dialect as far as it is known."""
        return self._current

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around every call."""
        if self._first_is_over.is_set():
            yield
            return
        with self._first_call:
            alone = not self._first_is_over.is_set()
            if alone:
                try:
                    yield
                finally:
                    self._first_is_over.set()
        if not alone:
            yield

    def refused(self, used: Dialect, complaint: str) -> Dialect | None:
        """Learn from a refusal of `used`: the dialect to try next; None when the complaint is about something else."""
        with self._lock:
            if self._current != used:
                return self._current
            learnt = used.without(complaint)
            if learnt is not None:
                self._current = learnt
            return learnt
