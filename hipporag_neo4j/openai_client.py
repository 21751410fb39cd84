"""Clients of OpenAI-compatible endpoints."""

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from hipporag_neo4j.access import NO_KEY

if TYPE_CHECKING:
    import openai


def open_client(key: str, address: str | None, **options: Any) -> "openai.OpenAI":
    """A client of the endpoint at an address that `check_address` lets through, OpenAI's own for None.

    A user name and password in the address are sent with each request, and kept out of it otherwise: the libraries
    below log addresses as they are.
    """
    import openai

    address, auth = _without_auth(address)
    http_client = openai.DefaultHttpxClient(auth=auth) if auth else None
    return openai.OpenAI(api_key=key or NO_KEY, base_url=address, http_client=http_client, **options)


def open_async_client(key: str, address: str | None, **options: Any) -> "openai.AsyncOpenAI":
    """As `open_client`, for an event loop."""
    import openai

    address, auth = _without_auth(address)
    http_client = openai.DefaultAsyncHttpxClient(auth=auth) if auth else None
    return openai.AsyncOpenAI(api_key=key or NO_KEY, base_url=address, http_client=http_client, **options)


def _without_auth(address: str | None) -> tuple[str | None, tuple[str, str] | None]:
    """The address without user name and password, and these, if there are any."""
    parts = urlsplit(address or "")
    if "@" not in parts.netloc:
        return address, None
    auth = unquote(parts.username or ""), unquote(parts.password or "")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), auth
