"""What goes over the connection with a statement: how long it may take, what it must see, whose it is."""

import logging
import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import ConfigurationError, QueryError
from hipporag_neo4j.settings import Settings


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    with closing(open_database(settings.model_copy(update={"query_timeout": 77.0}))) as opened:
        yield opened


def sent(caplog: pytest.LogCaptureFixture, message: str) -> list[str]:
    """The driver's messages of a kind, as its log has them."""
    return [text for text in caplog.messages if re.search(rf"C: {message} ", text)]


@pytest.mark.parametrize(
    "uri",
    [
        "bolt://neo4j:hunter2@localhost:7687",
        "neo4j+s://neo4j:hunter2@localhost",
        "neo4j:hunter2@localhost:7687",
        "http://neo4j:hunter2@localhost:7474",
        "bolt://neo4j:hun/ter2@localhost:7687",
    ],
)
def test_a_password_in_the_address_is_refused_and_not_shown(settings: Settings, uri: str) -> None:
    with pytest.raises(ConfigurationError, match=r"localhost.*the password in NEO4J_PASSWORD") as raised:
        open_database(settings.model_copy(update={"neo4j_uri": uri}))
    assert "ter2" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_stream_that_takes_too_long_is_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "UNWIND range(1, 1000000000) AS x RETURN max(sin(x))"
    monkeypatch.setattr(queries, "load", lambda name: queries.Query(name, slow, "", frozenset(), "", "read"))
    with (
        closing(open_database(settings.model_copy(update={"query_timeout": 0.5}))) as database,
        pytest.raises(QueryError, match=r"probe/slow.*terminated"),
    ):
        list(database.stream("probe/slow"))


def test_every_statement_says_its_name_and_its_limit(
    database: Database, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="neo4j"):
        database.run("schema/find_graph", namespace=namespace)
        list(database.stream("schema/find_graph", namespace=namespace))
        database.run("schema/await_indexes", seconds=1)
    (read,) = sent(caplog, "BEGIN")
    streamed, schema = (text for text in sent(caplog, "RUN") if "tx_metadata" in text)
    assert "'tx_timeout': 77000" in read
    assert "'tx_timeout': 77000" in streamed
    assert "'tx_timeout': 0" in schema
    assert "'statement': 'schema/find_graph'" in read
    assert "'statement': 'schema/find_graph'" in streamed
    assert "'statement': 'schema/await_indexes'" in schema


def test_what_was_written_is_seen_by_all_that_follows(
    database: Database, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    """On a cluster the next statement may go to another server, which then waits for the bookmark of the write."""
    with caplog.at_level(logging.DEBUG, logger="neo4j"):
        database.run("schema/create_graph", namespace=namespace, properties={"schema_version": 1})
        bookmark = re.findall(r"'bookmark': '([^']+)'", "\n".join(caplog.messages))[-1]
        caplog.clear()
        database.run("schema/find_graph", namespace=namespace)
        next(database.stream("schema/find_graph", namespace=namespace))
        database.run("schema/await_indexes", seconds=1)
        with database.data_science():  # asks for the version
            pass
    statements = [*sent(caplog, "BEGIN"), *(text for text in sent(caplog, "RUN") if "tx_metadata" in text)]
    assert len(statements) >= 4
    for text in statements:
        assert "'bookmarks': [" in text or "'bookmarks': (" in text
    assert bookmark in statements[0]
