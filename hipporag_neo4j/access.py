"""Addresses and keys: whether they can be used, and how they are shown, which is without what is secret."""

import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from hipporag_neo4j.errors import ConfigurationError

NO_KEY = "no-key"
"""Sent to endpoints that check no key, since the client insists on sending something."""

_ACCESS = re.compile(r"^([A-Za-z][\w+.-]*://)?.*@", re.DOTALL)


def without_password(address: str) -> str:
    """An address that can be shown: without user name, password, query and fragment, however broken it is.

    Everything up to the last `@` counts as user name and password, since a password may hold a slash that it shouldn't.
    """
    return re.split("[?#]", _ACCESS.sub(r"\1", address), maxsplit=1)[0]


def check_address(address: str | None, variable: str) -> None:
    """Raise ConfigurationError, naming the variable, unless the address is one of HTTP or None."""
    if address is None:
        return
    try:
        parts = urlsplit(address)
        usable = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and address.isprintable()
        )
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            f"{variable} is {without_password(address)!r}, which is no http address. It looks like "
            "http://localhost:11434/v1."
        )


def read_key(key: SecretStr | None, variable: str) -> str:
    """The key without space and line ends around it, empty for None.

    Raises ConfigurationError, naming the variable and not the key, for a character that no HTTP header takes.
    """
    text = key.get_secret_value().strip() if key is not None else ""
    if not all(c.isascii() and c.isprintable() and c != " " for c in text):
        raise ConfigurationError(
            f"{variable} holds a character that no key has: a space, a line break or a non-ASCII letter. Copy it again."
        )
    return text


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must not be shown: a key, and the password in an address. Servers repeat what they refuse."""

    values: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, key: str, address: str | None) -> Self:
        """The secrets among a key and a usable address."""
        password = urlsplit(address).password if address else None
        found = {key, *((password, unquote(password)) if password else ())}
        return cls(tuple(sorted(found - {""}, key=len, reverse=True)))

    def hide(self, text: str) -> str:
        """Text that may be shown."""
        for value in self.values:
            text = text.replace(value, "***")
        return text

    def cause(self, error: Exception) -> Exception | None:
        """`error` for `raise … from`; None when it would show a secret in a traceback."""
        return None if any(value in text for text in _texts(error) for value in self.values) else error


def _texts(error: BaseException | None) -> list[str]:
    return [] if error is None else [str(error), *_texts(error.__cause__ or error.__context__)]
