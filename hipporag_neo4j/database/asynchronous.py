"""The database for an event loop: the same statements, errors and limits, and nothing that blocks."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from hipporag_neo4j import queries
from hipporag_neo4j.database.connecting import explained, open_driver
from hipporag_neo4j.database.statements import Row, as_row, literal, metadata, prepared, session_options
from hipporag_neo4j.database.trouble import translated, translated_unless_repeated
from hipporag_neo4j.errors import DatabaseError
from hipporag_neo4j.filters import EVERYTHING
from hipporag_neo4j.queries import Filling

if TYPE_CHECKING:
    import neo4j


class AsyncDatabase:
    """One database on one server, for one event loop.

    A statement that is cancelled is ended on the server, and its connection is closed.
    """

    def __init__(
        self,
        driver: "neo4j.AsyncDriver",
        *,
        name: str | None = None,
        timeout: float = 120.0,
        owns_driver: bool = False,
        written_elsewhere: "Callable[[], neo4j.Bookmarks] | None" = None,
    ) -> None:
        """As `Database`. On a cluster every statement sees what was written here before it, and what
        `written_elsewhere` tells."""
        import neo4j

        self._driver = driver
        self._bookmarks = neo4j.AsyncGraphDatabase.bookmark_manager(bookmarks_supplier=written_elsewhere)
        self._name = name
        self._timeout = timeout
        self._owns_driver = owns_driver

    @classmethod
    async def connect(
        cls,
        uri: str,
        *,
        username: str,
        password: str | None,
        name: str | None = None,
        timeout: float = 120.0,
        written_elsewhere: "Callable[[], neo4j.Bookmarks] | None" = None,
    ) -> Self:
        """Connect and make sure that somebody answers. Raises as `Database.connect`."""
        import neo4j

        driver = open_driver(neo4j.AsyncGraphDatabase.driver, uri, username, password)
        try:
            with explained(uri, password):
                await driver.verify_connectivity()
        except BaseException:
            await driver.close()
            raise
        return cls(driver, name=name, timeout=timeout, owns_driver=True, written_elsewhere=written_elsewhere)

    async def close(self) -> None:
        """Close the driver, unless it was handed in."""
        if self._owns_driver:
            await self._driver.close()

    async def run(self, query: str, /, *, where: Filling = EVERYTHING, **parameters: Any) -> list[Row]:
        """Run a named statement in a transaction of its own; as `Database.run`, but for statements of the schema."""
        import neo4j

        mode = queries.load(query).mode
        if mode == "schema":
            raise DatabaseError(f"cypher/{query}.cypher changes the schema, which only a blocking client does.")
        statement, parameters = prepared(query, where, parameters)

        @neo4j.unit_of_work(metadata=metadata(query), timeout=self._timeout)
        async def work(transaction: neo4j.AsyncManagedTransaction) -> list[Row]:
            with translated_unless_repeated(query):
                result = await transaction.run(literal(statement.text), parameters)
                keys = result.keys()
                return [as_row(keys, record) async for record in result]

        with translated(query):
            async with self._driver.session(
                bookmark_manager=self._bookmarks, **session_options(mode, self._name, 1000)
            ) as session:
                execute = session.execute_read if mode == "read" else session.execute_write
                return await execute(work)
