"""The driver's exceptions as this package's: none of the driver's ever reaches a caller."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hipporag_neo4j.access import without_password
from hipporag_neo4j.errors import (
    AuthenticationError,
    DatabaseError,
    InputError,
    QueryError,
    ServerUnavailableError,
    UnsupportedServerError,
)

if TYPE_CHECKING:
    import neo4j

_READ_ONLY = (
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Statement.AccessMode",
)


@contextmanager
def translated(query: str, uri: str | None = None) -> Iterator[None]:
    """Turn the driver's exceptions into this package's: none of its own ever reaches a caller."""
    import neo4j.exceptions as driver

    where = f" at {without_password(uri)}" if uri else ""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(
            f"A text that {query!r} was given holds half a surrogate pair (U+{ord(error.object[error.start]):04X}) at "
            f"character {error.start + 1}, which is no Unicode text. Repair or drop that character."
        ) from error
    except driver.AuthError as error:
        raise AuthenticationError(
            f"Neo4j{where} refuses the user name or password ({error.message}). "
            "Check NEO4J_USERNAME and NEO4J_PASSWORD."
        ) from error
    except (driver.ServiceUnavailable, driver.SessionExpired, driver.IncompleteCommit) as error:
        raise ServerUnavailableError(
            f"Neo4j{where} can't be reached, or the connection broke during {query!r} ({_first_line(error)}). "
            "Check that the server runs (`hipporag-neo4j server status`, `hipporag-neo4j doctor`), then try again; "
            "what was written stays, and indexing goes on from there."
        ) from error
    except driver.Neo4jError as error:
        raise _translate_server_error(query, error) from error
    except driver.DriverError as error:
        cause = error.__cause__
        if isinstance(cause, driver.Neo4jError):  # a result that failed before it was read
            raise _translate_server_error(query, cause) from cause
        if "Driver closed" in str(error):
            raise DatabaseError(
                f"The connection to Neo4j was closed before {query!r}: by `close` or the end of `with`, or by whoever "
                "handed the driver in. Make a new client."
            ) from error
        raise DatabaseError(f"The Neo4j driver failed during {query!r}: {_first_line(error)}") from error


@contextmanager
def translated_unless_repeated(query: str) -> Iterator[None]:
    """As `translated`, inside a transaction: the errors for which the driver repeats it as a whole must reach it."""
    import neo4j.exceptions as driver

    try:
        with translated(query):
            yield
    except DatabaseError as error:
        cause = error.__cause__
        if isinstance(cause, driver.Neo4jError | driver.DriverError) and cause.is_retryable():
            raise cause from None
        raise


def _translate_server_error(query: str, error: "neo4j.exceptions.Neo4jError") -> DatabaseError:
    code, message = error.code or "", error.message or ""
    if "Unknown function 'gds." in message or (code.endswith("ProcedureNotFound") and "gds." in message):
        return UnsupportedServerError(
            "Graph Data Science is missing on the server: it knows no gds.* procedures. Install the plugin of the "
            "server's month, start docker/compose.yaml, or run `hipporag-neo4j server start`."
        )
    if code == "Neo.ClientError.Security.AuthenticationRateLimit":
        return DatabaseError(
            f"Neo4j has locked the user for some seconds after too many wrong passwords ({message}). Wait, then check "
            "NEO4J_USERNAME and NEO4J_PASSWORD."
        )
    if code == "Neo.DatabaseError.Transaction.TransactionLogError" or "encountered a critical error" in message:
        return DatabaseError(
            f"Neo4j can't write any more ({_first_line(error)}); a full disk is the usual reason. Free space, then "
            "restart the server (the local one: `hipporag-neo4j server stop`, then `start`) and run the same command "
            "again: what was written stays."
        )
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return DatabaseError(f"The server has no such database ({message}). Check NEO4J_DATABASE.")
    way_out = ", or add --no-cache (HIPPORAG_LLM_CACHE=false)" if query.startswith("cache/") else ""
    if code == "Neo.ClientError.Security.Forbidden":
        return DatabaseError(
            f"The user may not run {query!r} ({message}). Ask for the privilege it names (docs/operating.md){way_out}."
        )
    if code == "Neo.ClientError.Schema.IndexNotFound":
        return QueryError(
            f"An index that {query!r} searches is missing ({_first_line(error)}). An `init --filterable` makes that of "
            "filtered questions anew, which takes seconds: try again in a moment. If it stays missing, "
            "`hipporag-neo4j doctor` says what to do.",
            query=query,
            code=code,
        )
    if code in _READ_ONLY:
        return DatabaseError(f"The database can't be written to ({message}). Write to another one{way_out}.")
    return QueryError(
        f"The statement cypher/{query}.cypher failed: {_first_line(error)} [{code}]", query=query, code=code
    )


def _first_line(error: BaseException) -> str:
    import neo4j.exceptions

    # The `message` of an error that arose in the driver says nothing; what happened is in its text.
    message = error.message if isinstance(error, neo4j.exceptions.Neo4jError) else None
    return (message or str(error)).strip().split("\n", 1)[0]
