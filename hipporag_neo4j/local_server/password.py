"""What is the server's password, and how does the server learn it?"""

import hashlib
import os
import secrets
from pathlib import Path

from pydantic import SecretStr

from hipporag_neo4j.errors import ConfigurationError, LocalServerError
from hipporag_neo4j.local_server.home import Home

USERNAME = "neo4j"
MINIMUM_LENGTH = 8
_ITERATIONS = 1024


def read_password(home: Home) -> SecretStr | None:
    """The stored password; None when there is none."""
    try:
        text = home.password.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return SecretStr(text) if text else None


def store_password(home: Home, password: SecretStr) -> None:
    """Keeps the password in a file that only its owner can read."""
    write_private(home.password, password.get_secret_value() + "\n")


def settle_password(home: Home, wanted: SecretStr | None) -> SecretStr:
    """The password the server will open with; stored, and told to a server that has no data yet.

    Where data exist, that is the stored one even if another is `wanted`: it is changed once the server runs.
    Raises LocalServerError when data exist and nobody knows their password.
    """
    if wanted is not None:
        check_password(wanted)
    stored = read_password(home)
    if home.has_data:
        password = stored or wanted
        if password is None:
            raise LocalServerError(
                f"The password of the data in {home.data} is unknown: {home.password} is missing. Give it with "
                f"HIPPORAG_SERVER_PASSWORD, or delete {home.folder} to begin with an empty server."
            )
        return password
    password = wanted or stored or SecretStr(secrets.token_urlsafe(18))
    store_password(home, password)
    home.initial_user.parent.mkdir(parents=True, exist_ok=True)
    write_private(home.initial_user, initial_user(password, secrets.token_bytes(32)))
    return password


def check_password(password: SecretStr) -> None:
    """Raises ConfigurationError for what Neo4j would refuse, or the file can't hold."""
    text = password.get_secret_value()
    if len(text) < MINIMUM_LENGTH or text != text.strip() or not text.isprintable():
        raise ConfigurationError(
            f"The server's password can't be used: it needs at least {MINIMUM_LENGTH} characters, all printable, "
            "without space at its ends. Give another one, or none for a random one."
        )


def initial_user(password: SecretStr, salt: bytes) -> str:
    """The line `neo4j-admin dbms set-initial-password` writes: a salted, iterated hash.

    Written here because that program takes three seconds and shows the password in the process list.
    """
    digest = hashlib.sha256(salt + password.get_secret_value().encode()).digest()
    for _ in range(_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_ITERATIONS}:\n"


def write_private(path: Path, text: str) -> None:
    """Writes a file whole or not at all, readable by its owner alone."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)
