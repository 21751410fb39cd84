"""A chat completion as it comes from an endpoint, whole or in pieces, and the answer that is read from it."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from hipporag_neo4j.answers import ShapeT, excerpt, read_answer
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.llm import Answer

_MOST_TOKENS = 10**9
"""Of one answer: more is no count."""


def _count(given: object) -> int:
    """A number of tokens, 0 where the endpoint gives none: the answer is good all the same."""
    return given if isinstance(given, int) and 0 <= given <= _MOST_TOKENS else 0


def _usage(given: object) -> object:
    return given if isinstance(given, dict) or hasattr(given, "prompt_tokens") else None


class Said(BaseModel):
    """What the model said, or why it wouldn't. In a stream, a piece of it."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """One answer; `finish_reason` is `length` when it was cut off at the token limit."""

    message: Said
    finish_reason: str | None = None


class Usage(BaseModel):
    """What it cost, in tokens."""

    prompt_tokens: Annotated[int, BeforeValidator(_count)] = 0
    completion_tokens: Annotated[int, BeforeValidator(_count)] = 0


class Completion(BaseModel):
    """A whole response; no usage where the endpoint doesn't count."""

    choices: list[Choice]
    usage: Annotated[Usage | None, BeforeValidator(_usage)] = None


class Part(BaseModel):
    """What a chunk of a stream adds to the answer."""

    delta: Said | None = None
    finish_reason: str | None = None


class Chunk(BaseModel):
    """One event of a stream; the last one may hold the usage and no part."""

    choices: list[Part] | None = None
    usage: Annotated[Usage | None, BeforeValidator(_usage)] = None


def read_completion(completion: Completion, shape: type[ShapeT], max_tokens: int) -> Answer[ShapeT]:
    """The answer in a completion.

    Raises UnreadableAnswerError, with what it cost, when it holds none that can be used.
    """
    usage = completion.usage or Usage()
    try:
        value, truncated = _read(completion, shape, max_tokens)
    except UnreadableAnswerError as error:
        raise UnreadableAnswerError(
            str(error), prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens
        ) from error
    raw = completion.choices[0].message.content or ""
    return Answer(value, usage.prompt_tokens, usage.completion_tokens, truncated, raw)


def _read(completion: Completion, shape: type[ShapeT], max_tokens: int) -> tuple[ShapeT, bool]:
    if not completion.choices:
        raise UnreadableAnswerError("the response holds no answer")
    choice = completion.choices[0]
    truncated = choice.finish_reason == "length"
    raw = choice.message.content or ""
    if choice.message.refusal and not raw:
        raise UnreadableAnswerError(f"the model refused: {excerpt(choice.message.refusal)}")
    if choice.finish_reason == "content_filter":
        raise UnreadableAnswerError("the endpoint's content filter withheld the answer")
    try:
        return read_answer(raw, shape, truncated=truncated), truncated
    except UnreadableAnswerError as error:
        if not truncated:
            raise
        raise UnreadableAnswerError(
            f"{error}; it was cut off at {max_tokens} tokens (HIPPORAG_LLM_MAX_TOKENS)"
        ) from error
