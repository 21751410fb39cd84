"""Does the server answer?"""

import socket
from contextlib import closing
from urllib.parse import urlsplit

from pydantic import SecretStr

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import AuthenticationError, DatabaseError, LocalServerError, QueryError
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import MINIMUM_LENGTH, explain_refused_password
from hipporag_neo4j.local_server.state import RunningServer

_BOLT_HANDSHAKE = bytes.fromhex("6060b017" + "00040404" + "00000305" + "00000000" + "00000000")


def speaks_bolt(uri: str, *, seconds: float = 1.0) -> bool:
    """Whether something at this address accepts a Bolt connection. Cheap: no driver, no login."""
    address = urlsplit(uri)
    try:
        with socket.create_connection((address.hostname or "", address.port or 0), timeout=seconds) as connection:
            connection.sendall(_BOLT_HANDSHAKE)
            answer = connection.recv(4)
    except OSError:
        return False
    return len(answer) == 4 and answer != bytes(4)


class RefusedPasswordError(LocalServerError):
    """The server is up, and refuses the password that is stored here."""


def answers(server: RunningServer) -> bool:
    """Whether the server's database runs a statement. Raises RefusedPasswordError when it refuses the password."""
    if not speaks_bolt(server.uri):
        return False
    try:
        with _connected(server) as database:
            database.run("server/check_answer")
    except AuthenticationError as error:
        raise RefusedPasswordError(explain_refused_password(Home(server.home), server.uri)) from error
    except DatabaseError:  # not yet: the caller watches the process and the clock
        return False
    return True


def change_password(server: RunningServer, new: SecretStr) -> None:
    """Changes the password of a running server."""
    try:
        with _connected(server) as database:
            database.run("server/change_password", old=server.password.get_secret_value(), new=new.get_secret_value())
    except QueryError as error:
        raise LocalServerError(
            f"The server at {server.uri} refuses the new password ({error.code}) and keeps the one it had: give one of "
            f"at least {MINIMUM_LENGTH} characters."
        ) from error


def _connected(server: RunningServer) -> "closing[Database]":
    return closing(
        Database.connect(
            server.uri, username=server.username, password=server.password.get_secret_value(), timeout=30.0
        )
    )
