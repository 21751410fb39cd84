"""What an endpoint understands of the chat protocol: learnt once, from its refusals, and shared by all threads."""

import re
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
_ABOUT_STREAM = re.compile(r"\bstream(s|ed|ing)?\b")
_ABOUT_STREAM_USAGE = re.compile(r"stream_options|include_usage")
_ABOUT_LENGTH = ("context length", "context_length", "context window", "too large", "too long")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is put. `structure`: how JSON is asked for, strictest first. `stream`: whether an answer can be had
    in pieces, `stream_usage`: and its tokens with it."""

    structure: Structure = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream: bool = True
    stream_usage: bool = True

    def parameters(self, shape: type[BaseModel], max_tokens: int, *, stream: bool = False) -> dict[str, Any]:
        """The request's parameters beside model and messages, for an answer in `shape`, in pieces where that's had."""
        parameters: dict[str, Any] = {self.limit: max_tokens}
        if self.temperature:
            parameters["temperature"] = 0
        if self.structure == "json_schema":
            parameters["response_format"] = {"type": "json_schema", "json_schema": strict_schema(shape)}
        elif self.structure == "json_object":
            parameters["response_format"] = {"type": "json_object"}
        if stream and self.stream:
            parameters["stream"] = True
            if self.stream_usage:
                parameters["stream_options"] = {"include_usage": True}
        return parameters

    def without(self, complaint: str, *, stream: bool = False) -> "Dialect | None":
        """The dialect that avoids what the endpoint complained about; None when it's about something else.

        `stream`: an answer in pieces was asked for.
        """
        said = complaint.lower()
        if any(word in said for word in _ABOUT_LENGTH):
            return None
        if stream and self.stream and self.stream_usage and _ABOUT_STREAM_USAGE.search(said):
            return replace(self, stream_usage=False)
        if stream and self.stream and _ABOUT_STREAM.search(said):
            return replace(self, stream=False)
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

    def refused(self, used: Dialect, complaint: str, *, stream: bool = False) -> Dialect | None:
        """Learn from a refusal of `used`: the dialect to try next; None when the complaint is about something else."""
        with self._lock:
            if self._current != used:
                return self._current
            learnt = used.without(complaint, stream=stream)
            if learnt is not None:
                self._current = learnt
            return learnt
