"""What is the server's password, and how does the server learn it?"""

import hashlib
import os
import secrets
import shutil
from pathlib import Path

from pydantic import SecretStr

from hipporag_neo4j.errors import ConfigurationError, LocalServerError
from hipporag_neo4j.local_server.home import Home

USERNAME = "neo4j"
MINIMUM_LENGTH = 8
_ITERATIONS = 1024
_WAYS = (
    "Who knows the password gives it once: HIPPORAG_SERVER_PASSWORD=… hipporag-neo4j server start. To set a new one: "
    "hipporag-neo4j server stop, then hipporag-neo4j server start --reset-password; the graphs stay."
)


def read_password(home: Home) -> SecretStr | None:
    """The stored password; None when there is none. Raises LocalServerError when its file can't be read."""
    try:
        text = home.password.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it isn't UTF-8"
        raise LocalServerError(
            f"The local server's password can't be read from {home.password}: {reason}. Make that file readable, or "
            f"remove it and give the password anew. {_WAYS}"
        ) from error
    return SecretStr(text) if text else None


def explain_lost_password(home: Home, uri: str) -> str:
    """What to do about a running server whose password isn't stored any more."""
    return f"The local server runs at {uri}, but its password is unknown: {home.password} is missing or empty. {_WAYS}"


def explain_refused_password(home: Home, uri: str) -> str:
    """What to do about a server that another password opens than the stored one."""
    return f"The local server at {uri} refuses the password in {home.password}: one of them was changed. {_WAYS}"


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
                f"The password of the data in {home.data} is unknown: {home.password} is missing or empty. {_WAYS}"
            )
        return password
    password = wanted or stored or SecretStr(secrets.token_urlsafe(18))
    store_password(home, password)
    home.initial_user.parent.mkdir(parents=True, exist_ok=True)
    write_private(home.initial_user, initial_user(password, secrets.token_bytes(32)))
    return password


def forget_users(home: Home) -> None:
    """Sets the database aside that holds users and their passwords; the graphs are in another one.

    Neo4j makes it anew at its next start, with the user that `settle_password` writes down. What was set aside the
    time before is deleted.
    """
    aside = home.data / "system-set-aside"
    for name in ("transactions", "databases"):  # the second tells whether there are data: until then this goes on
        folder = home.data / name / "system"
        if folder.is_dir():
            shutil.rmtree(aside / name, ignore_errors=True)
            aside.mkdir(exist_ok=True)
            folder.rename(aside / name)
    home.password.unlink(missing_ok=True)


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
