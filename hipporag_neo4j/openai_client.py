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

    parts = urlsplit(address or "")
    http_client = None
    if "@" in parts.netloc:
        http_client = openai.DefaultHttpxClient(auth=(unquote(parts.username or ""), unquote(parts.password or "")))
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return openai.OpenAI(api_key=key or NO_KEY, base_url=address, http_client=http_client, **options)
