"""The connection to Neo4j, and the only module that imports its driver: runs named statements, translates errors."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from hipporag_neo4j import queries
from hipporag_neo4j.access import without_password
from hipporag_neo4j.errors import (
    AuthenticationError,
    ConfigurationError,
    DatabaseError,
    QueryError,
    ServerUnavailableError,
    UnsupportedServerError,
)
from hipporag_neo4j.filters import EVERYTHING
from hipporag_neo4j.queries import Filling

if TYPE_CHECKING:
    import neo4j
    import numpy as np
    from graphdatascience import GraphDataScience
    from numpy.typing import NDArray

Row = dict[str, Any]
ResultT = TypeVar("ResultT")

PRODUCT = "hipporag-neo4j"
_CONNECTION_TIMEOUT = 15.0
_NO_LIMIT = 0.0
_READ_ONLY = (
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Statement.AccessMode",
)
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


class Transaction:
    """A transaction under way; what it writes is all there or not at all."""

    def __init__(self, transaction: "neo4j.ManagedTransaction") -> None:
        self._transaction = transaction

    def run(self, query: str, *, where: Filling = EVERYTHING, **parameters: Any) -> list[Row]:
        """Run a named statement; the names of the parameters must be exactly the declared ones."""
        statement, parameters = _prepared(query, where, parameters)
        with _translated_unless_repeated(statement.name):
            return list(_rows(self._transaction.run(_literal(statement.text), parameters)))


class Database:
    """One database on one server. Safe to share between threads."""

    def __init__(
        self, driver: "neo4j.Driver", *, name: str | None = None, timeout: float = 120.0, owns_driver: bool = False
    ) -> None:
        """`name` is the server's default database when None.

        `timeout`, in seconds, ends a statement on the server; schema statements, which may have to wait for an index
        to be filled, have no limit. On a cluster every statement sees what was written here before it.
        """
        import neo4j

        self._driver = driver
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        self._name = name
        self._timeout = timeout
        self._owns_driver = owns_driver

    @classmethod
    def connect(
        cls, uri: str, *, username: str, password: str | None, name: str | None = None, timeout: float = 120.0
    ) -> Self:
        """Connect and make sure that somebody answers.

        Raises ServerUnavailableError, AuthenticationError, or ConfigurationError for an address that is none or holds
        a password, which is kept out of the message.
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
        try:
            driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(username, password) if password is not None else None,
                user_agent=user_agent(),
                telemetry_disabled=True,
                connection_timeout=_CONNECTION_TIMEOUT,
                max_transaction_retry_time=30.0,
            )
        except (neo4j.exceptions.ConfigurationError, ValueError) as error:
            raise _no_address(uri, str(error)) from error
        database = cls(driver, name=name, timeout=timeout, owns_driver=True)
        try:
            with _translated("connect", uri):
                driver.verify_connectivity()
        except DatabaseError as error:
            driver.close()
            if password is None and isinstance(error, AuthenticationError):
                raise AuthenticationError(
                    f"Neo4j at {uri} asks for a password, and NEO4J_PASSWORD isn't set. Set it, and NEO4J_USERNAME "
                    "unless that is 'neo4j'."
                ) from error
            raise
        except ValueError as error:  # a port that is no number is noticed here
            driver.close()
            raise _no_address(uri, str(error)) from error
        return database

    def close(self) -> None:
        """Close the driver, unless it was handed in."""
        if self._owns_driver:
            self._driver.close()

    def run(self, query: str, *, where: Filling = EVERYTHING, **parameters: Any) -> list[Row]:
        """Run a named statement in a transaction of its own, repeated on transient errors; with a filter, heeding it.

        Reads go to a reader of a cluster, writes to its leader. Raises QueryError, ServerUnavailableError,
        AuthenticationError or UnsupportedServerError.
        """
        mode = queries.load(query).mode
        if mode == "schema":
            statement, parameters = _prepared(query, where, parameters)
            with _translated(query), self._session("write") as session:
                return list(_rows(session.run(self._query(statement, _NO_LIMIT), parameters)))
        return self._transact(
            mode, query, lambda transaction: transaction.run(query, where=where, **parameters), self._timeout
        )

    def write(self, name: str, work: Callable[[Transaction], ResultT], *, limited: bool = True) -> ResultT:
        """Run several statements in one write transaction, repeated as a whole on transient errors.

        `name` is what a database administrator sees in SHOW TRANSACTIONS. Without `limited` the server doesn't end it
        when it takes long: for a change that grows with the graph and must be all there or not at all.
        """
        return self._transact("write", name, work, self._timeout if limited else _NO_LIMIT)

    def stream(self, query: str, *, batch: int = 1000, **parameters: Any) -> Generator[Row, None, None]:
        """Rows of a read statement as they arrive, `batch` at a time; not repeated on errors.

        The time limit counts until the last row is taken, what is done with the rows in between included.
        """
        statement, parameters = _prepared(query, EVERYTHING, parameters)
        with _translated(query), self._session("read", fetch_size=batch) as session:
            yield from _rows(session.run(self._query(statement, self._timeout), parameters))

    def _transact(self, mode: str, name: str, work: Callable[[Transaction], ResultT], timeout: float) -> ResultT:
        import neo4j

        @neo4j.unit_of_work(metadata=_metadata(name), timeout=timeout)
        def transaction_work(transaction: "neo4j.ManagedTransaction") -> ResultT:
            return work(Transaction(transaction))

        with _translated(name), self._session(mode) as session:
            execute = session.execute_read if mode == "read" else session.execute_write
            return execute(transaction_work)

    def _session(self, mode: str, fetch_size: int = 1000) -> "neo4j.Session":
        return self._driver.session(
            database=self._name,
            default_access_mode="READ" if mode == "read" else "WRITE",
            fetch_size=fetch_size,
            notifications_min_severity="OFF",
            bookmark_manager=self._bookmarks,
        )

    @staticmethod
    def _query(statement: queries.Query, timeout: float) -> "neo4j.Query":
        import neo4j

        return neo4j.Query(_literal(statement.text), metadata=_metadata(statement.name), timeout=timeout)

    @contextmanager
    def data_science(self) -> "Iterator[GraphDataScience]":
        """The Graph Data Science client on this connection; importing it takes seconds. Errors are translated."""
        import neo4j
        from graphdatascience import GraphDataScience

        written = neo4j.Bookmarks.from_raw_values(self._bookmarks.get_bookmarks())
        with _translated("Graph Data Science"):
            yield GraphDataScience(
                self._driver, database=self._name, arrow=False, bookmarks=written, show_progress=False
            )


@cache
def user_agent() -> str:
    """What the server's log and list of connections call this product: its name, with its version where it is known."""
    try:
        return f"{PRODUCT}/{version(PRODUCT)}"
    except PackageNotFoundError:  # run from its source
        return PRODUCT


def as_vectors(matrix: "NDArray[np.float32]") -> "list[neo4j.vector.Vector]":
    """The rows of a matrix as the driver's vectors: eight times faster to send than lists."""
    import numpy
    from neo4j.vector import Vector

    return [Vector.from_numpy(row) for row in numpy.ascontiguousarray(matrix, dtype=numpy.float32)]


def as_matrix(vectors: "Sequence[neo4j.vector.Vector]", dimensions: int) -> "NDArray[np.float32]":
    """The driver's vectors as a matrix of shape (len(vectors), dimensions)."""
    import numpy

    if not vectors:
        return numpy.empty((0, dimensions), dtype=numpy.float32)
    raw = b"".join(vector.raw() for vector in vectors)
    return numpy.frombuffer(raw, dtype=">f4").astype(numpy.float32).reshape(len(vectors), dimensions)


def as_record(values: Mapping[str, Any]) -> "neo4j.Record":
    """Values in the form in which the driver gives them, for libraries that take nothing else."""
    import neo4j

    record: Any = neo4j.Record  # its constructor carries no types
    made: neo4j.Record = record(values)
    return made


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


def _rows(result: "neo4j.Result") -> Iterator[Row]:
    # Statements return plain values, lists and maps; record.data() would look through each of them for nodes.
    keys = result.keys()
    for record in result:
        yield dict(zip(keys, record.values(), strict=True))


def _metadata(name: str) -> dict[str, str]:
    """What SHOW TRANSACTIONS says of a statement."""
    return {"app": user_agent(), "statement": name}


def _prepared(name: str, where: Filling, parameters: Mapping[str, Any]) -> tuple[queries.Query, dict[str, Any]]:
    """The statement as it is sent, and all parameters it is sent with."""
    query = queries.load(name)
    _check_parameters(query, parameters)
    if not where:
        return query, dict(parameters)
    return query.with_filter(where), {**parameters, **where.parameters}


def _check_parameters(query: queries.Query, parameters: Mapping[str, Any]) -> None:
    given = frozenset(parameters)
    if given != query.parameters:
        raise TypeError(
            f"cypher/{query.name}.cypher takes {sorted(query.parameters)}: "
            f"missing {sorted(query.parameters - given)}, unknown {sorted(given - query.parameters)}."
        )


def _literal(text: str) -> Any:
    # The driver's type asks for a LiteralString; the statements come from files that are part of the package.
    return text


@contextmanager
def _translated(query: str, uri: str | None = None) -> Iterator[None]:
    """Turn the driver's exceptions into this package's: none of its own ever reaches a caller."""
    import neo4j.exceptions as driver

    where = f" at {without_password(uri)}" if uri else ""
    try:
        yield
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
        raise DatabaseError(f"The Neo4j driver failed during {query!r}: {_first_line(error)}") from error


@contextmanager
def _translated_unless_repeated(query: str) -> Iterator[None]:
    """As `_translated`, inside a transaction: the errors for which the driver repeats it as a whole must reach it."""
    import neo4j.exceptions as driver

    try:
        with _translated(query):
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
