"""The body of a chat request: the same whether it is sent by itself or stands in the file of a batch."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from hipporag_neo4j.domain import Message
from hipporag_neo4j.llm.dialect import Dialect


def chat_request(
    model: str,
    messages: Sequence[Message],
    shape: type[BaseModel],
    dialect: Dialect,
    max_tokens: int,
    *,
    stream: bool = False,
) -> dict[str, Any]:
    """What asks `model` for an answer in `shape` of at most `max_tokens` tokens, put as `dialect` has it."""
    said = [{"role": message.role, "content": _sendable(message.content)} for message in messages]
    return {"model": model, "messages": said, **dialect.parameters(shape, max_tokens, stream=stream)}


def _sendable(text: str) -> str:
    """Text that can be sent: lone surrogates become U+FFFD, and NUL, which ends a text for some servers, a space."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", " ")
