"""How a driver is opened, and what is said when it can't be."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hipporag_neo4j.access import without_password
from hipporag_neo4j.database.statements import user_agent
from hipporag_neo4j.database.trouble import translated
from hipporag_neo4j.errors import AuthenticationError, ConfigurationError

DriverT = TypeVar("DriverT")

_CONNECTION_TIMEOUT = 15.0
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def open_driver(opener: Callable[..., DriverT], uri: str, username: str, password: str | None) -> DriverT:
    """A driver by `opener`, which connects when it is first used.

    Raises ConfigurationError for an address that is none or holds a password, which is kept out of the message.
    """
    import neo4j

    if "@" in uri:
        raise ConfigurationError(
            f"NEO4J_URI holds a user name or password beside the address {without_password(uri)!r}. Give the user "
            "name in NEO4J_USERNAME and the password in NEO4J_PASSWORD, and the address alone in NEO4J_URI."
        )
    if uri.partition("://")[0] not in _SCHEMES:
        raise _no_address(uri, f"it doesn't begin with one of {', '.join(_SCHEMES)}")
    _check_place(uri)
    auth: Any = (username, password) if password is not None else None
    try:
        return opener(
            uri,
            auth=auth,
            user_agent=user_agent(),
            telemetry_disabled=True,
            connection_timeout=_CONNECTION_TIMEOUT,
            max_transaction_retry_time=30.0,
        )
    except (neo4j.exceptions.ConfigurationError, ValueError) as error:
        raise _no_address(uri, str(error)) from error


@contextmanager
def explained(uri: str, password: str | None) -> Iterator[None]:
    """Around the first words with a server: says why there is no connection."""
    try:
        with translated("connect", uri):
            yield
    except AuthenticationError as error:
        if password is not None:
            raise
        raise AuthenticationError(
            f"Neo4j at {uri} asks for a password, and NEO4J_PASSWORD isn't set. Set it, and NEO4J_USERNAME "
            "unless that is 'neo4j'."
        ) from error
    except ValueError as error:  # a port that is no number is noticed here
        raise _no_address(uri, str(error)) from error


def _check_place(uri: str) -> None:
    """Raise ConfigurationError for an address without a host or with a port that is none: the driver would connect to
    another one, the port modulo 65,536."""
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _no_address(uri, f"{error}") from error
    if not host:
        raise _no_address(uri, "it names no host")
    if port == 0:
        raise _no_address(uri, "the port is 0, not one from 1 to 65535")


def _no_address(uri: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"NEO4J_URI is {without_password(uri)!r}, which is no address of a Neo4j server: {why}. "
        "Take one such as 'bolt://localhost:7687' or 'neo4j+s://host'."
    )
