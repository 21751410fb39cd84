"""The database for callers that wait."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hipporag_neo4j import queries
from hipporag_neo4j.database.asynchronous import AsyncDatabase
from hipporag_neo4j.database.connecting import explained, open_driver
from hipporag_neo4j.database.statements import (
    NO_LIMIT,
    Row,
    alone,
    as_row,
    literal,
    metadata,
    prepared,
    session_options,
)
from hipporag_neo4j.database.trouble import translated, translated_unless_repeated
from hipporag_neo4j.errors import ConfigurationError, DatabaseError
from hipporag_neo4j.filters import EVERYTHING
from hipporag_neo4j.queries import Filling

if TYPE_CHECKING:
    import neo4j
    from graphdatascience import GraphDataScience

ResultT = TypeVar("ResultT")


class Transaction:
    """A transaction under way; what it writes is all there or not at all."""

    def __init__(self, transaction: "neo4j.ManagedTransaction") -> None:
        self._transaction = transaction

    def run(self, query: str, *, where: Filling = EVERYTHING, **parameters: Any) -> list[Row]:
        """Run a named statement; the names of the parameters must be exactly the declared ones."""
        statement, parameters = prepared(query, where, parameters)
        with translated_unless_repeated(statement.name):
            return list(_rows(self._transaction.run(literal(statement.text), parameters)))


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
        self._connected: tuple[str, str, str | None] | None = None

    @classmethod
    def connect(
        cls, uri: str, *, username: str, password: str | None, name: str | None = None, timeout: float = 120.0
    ) -> Self:
        """Connect and make sure that somebody answers.

        Raises ServerUnavailableError, AuthenticationError, or ConfigurationError for an address that is none or holds
        a password, which is kept out of the message.
        """
        import neo4j

        driver = open_driver(neo4j.GraphDatabase.driver, uri, username, password)
        try:
            with explained(uri, password):
                driver.verify_connectivity()
        except (DatabaseError, ConfigurationError):
            driver.close()
            raise
        database = cls(driver, name=name, timeout=timeout, owns_driver=True)
        database._connected = uri, username, password
        return database

    async def beside(self, driver: "neo4j.AsyncDriver | None" = None) -> AsyncDatabase:
        """The same database for an event loop, which sees what was written here: over a driver that is handed in, and
        stays open, or else by a connection to the same server as the same user.

        Raises what `connect` raises, and ConfigurationError where this one's driver was handed in, and none is now.
        """
        if driver is not None:
            return AsyncDatabase(driver, name=self._name, timeout=self._timeout, written_elsewhere=lambda: self.written)
        if self._connected is None:
            raise ConfigurationError(
                "The blocking driver was handed in, so nobody knows where an asynchronous one would connect to. Give "
                "settings in its place."
            )
        uri, username, password = self._connected
        return await AsyncDatabase.connect(
            uri,
            username=username,
            password=password,
            name=self._name,
            timeout=self._timeout,
            written_elsewhere=lambda: self.written,
        )

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
            statement, parameters = prepared(query, where, parameters)
            with translated(query), self._session("write") as session:
                return list(_rows(session.run(alone(statement, NO_LIMIT), parameters)))
        return self._transact(
            mode, query, lambda transaction: transaction.run(query, where=where, **parameters), self._timeout
        )

    def write(self, name: str, work: Callable[[Transaction], ResultT], *, limited: bool = True) -> ResultT:
        """Run several statements in one write transaction, repeated as a whole on transient errors.

        `name` is what a database administrator sees in SHOW TRANSACTIONS. Without `limited` the server doesn't end it
        when it takes long: for a change that grows with the graph and must be all there or not at all.
        """
        return self._transact("write", name, work, self._timeout if limited else NO_LIMIT)

    def stream(self, query: str, *, batch: int = 1000, **parameters: Any) -> Generator[Row, None, None]:
        """Rows of a read statement as they arrive, `batch` at a time; not repeated on errors.

        The time limit counts until the last row is taken, what is done with the rows in between included.
        """
        statement, parameters = prepared(query, EVERYTHING, parameters)
        with translated(query), self._session("read", fetch_size=batch) as session:
            yield from _rows(session.run(alone(statement, self._timeout), parameters))

    def _transact(self, mode: str, name: str, work: Callable[[Transaction], ResultT], timeout: float) -> ResultT:
        import neo4j

        @neo4j.unit_of_work(metadata=metadata(name), timeout=timeout)
        def transaction_work(transaction: "neo4j.ManagedTransaction") -> ResultT:
            return work(Transaction(transaction))

        with translated(name), self._session(mode) as session:
            execute = session.execute_read if mode == "read" else session.execute_write
            return execute(transaction_work)

    def _session(self, mode: str, fetch_size: int = 1000) -> "neo4j.Session":
        options = session_options(mode, self._name, fetch_size)
        return self._driver.session(bookmark_manager=self._bookmarks, **options)

    @property
    def written(self) -> "neo4j.Bookmarks":
        """What was written here, so that another connection can see it, too."""
        import neo4j

        return neo4j.Bookmarks.from_raw_values(self._bookmarks.get_bookmarks())

    @contextmanager
    def data_science(self) -> "Iterator[GraphDataScience]":
        """The Graph Data Science client on this connection; importing it takes seconds. Errors are translated."""
        from graphdatascience import GraphDataScience

        with translated("Graph Data Science"):
            yield GraphDataScience(
                self._driver, database=self._name, arrow=False, bookmarks=self.written, show_progress=False
            )


def _rows(result: "neo4j.Result") -> Iterator[Row]:
    keys = result.keys()
    for record in result:
        yield as_row(keys, record)
