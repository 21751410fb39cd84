"""A completion that comes in pieces: handed on as they come, and put together."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from hipporag_neo4j.answers import excerpt
from hipporag_neo4j.llm.completion import Choice, Chunk, Completion, Said
from hipporag_neo4j.llm.trouble import BrokenStreamError, GarbledResponseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LIKE_AN_END = ("}", "]", "```")


def read_stream(response: Any, hear: Callable[[str], None], ends: float) -> Completion:
    """The completion of an open streaming response of the openai client.

    `hear` gets each piece of the answer's text. `ends` is when to give up, on the monotonic clock; it is looked at with
    each piece. An endpoint that sends the whole completion instead of a stream is understood too. Raises
    GarbledResponseError for what is neither, BrokenStreamError when a stream breaks off or tells an error, and what the
    client raises when nothing comes in time.
    """
    import openai

    try:
        if "event-stream" not in response.headers.get("content-type", ""):
            return _whole(response.text(), hear)
        return _joined(_chunks(response, ends), hear)
    except openai.APITimeoutError:
        raise
    except transport_errors() as error:
        if "Timeout" in type(error).__name__:
            raise openai.APITimeoutError(request=response.http_request) from error
        raise BrokenStreamError(str(error.__cause__ or error) or type(error).__name__) from error


def _whole(text: str, hear: Callable[[str], None]) -> Completion:
    completion = read_whole(text)
    if completion.choices and completion.choices[0].message.content:
        hear(completion.choices[0].message.content)
    return completion


def read_whole(text: str) -> Completion:
    """The completion in the body of a response. Raises GarbledResponseError, with an excerpt, for anything else."""
    try:
        return Completion.model_validate_json(text)
    except ValidationError as error:
        raise GarbledResponseError(excerpt(text) if text else "an empty body") from error


def _chunks(response: Any, ends: float) -> Iterator[Chunk]:
    import openai

    try:
        for event in response.parse():
            if time.monotonic() > ends:
                raise openai.APITimeoutError(request=response.http_request)
            yield Chunk.model_validate(event, from_attributes=True)
    except ValueError as error:  # no JSON, or JSON of another kind
        raise GarbledResponseError(excerpt(str(getattr(error, "doc", error)))) from error


def _joined(chunks: Iterator[Chunk], hear: Callable[[str], None]) -> Completion:
    text, refusal, finish_reason, usage, begun = "", "", None, None, False
    for chunk in chunks:
        usage = chunk.usage or usage
        for part in (chunk.choices or ())[:1]:
            begun = True
            finish_reason = part.finish_reason or finish_reason
            said = part.delta or Said()
            refusal += said.refusal or ""
            if said.content:
                text += said.content
                hear(said.content)
    if not begun:
        raise GarbledResponseError("a stream without an answer")
    if finish_reason is None and not text.rstrip().endswith(_LIKE_AN_END):
        raise BrokenStreamError("the stream ended before the answer did")
    whole = Said(content=text or None, refusal=refusal or None)
    return Completion(choices=[Choice(message=whole, finish_reason=finish_reason)], usage=usage)


def transport_errors() -> tuple[type[Exception], ...]:
    """What may be raised while a response is read; some versions of the client let HTTP errors through."""
    import openai

    modules = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    return (openai.APIError, *(module.RequestError for module in modules))
