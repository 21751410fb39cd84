"""Connections: whose driver is whose, and what the package says when the server doesn't do as it should."""

import json
import socket
import subprocess
import sys
import uuid

import pytest
from pydantic import SecretStr

from hipporag_neo4j import queries
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.errors import (
    AuthenticationError,
    ConfigurationError,
    DatabaseError,
    QueryError,
    ServerUnavailableError,
)
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.servers import ROOT, TestServer, open_driver

PASSAGES = [passage("1", ("ada", "knows", "bob")), passage("2", ("bob", "knows", "cleo"))]


def test_a_driver_that_was_handed_in_stays_open(settings: Settings, server: TestServer) -> None:
    with open_driver(server) as own:
        without_uri = settings.model_copy(update={"neo4j_uri": None, "neo4j_password": None})
        with HippoRAG(without_uri, driver=own, embedder=HashEmbedder(DIMENSIONS)) as rag:
            write(rag, PASSAGES)
            assert rag.retrieve("Who?", mode="hipporag1", entities=["ada"]).passages
        assert own.execute_query("RETURN 1 AS one", database_=server.database).records[0]["one"] == 1


def test_a_driver_of_its_own_is_closed(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        rag.init()
    with pytest.raises(DatabaseError, match="was closed before"):
        rag.status()


def test_a_second_process_opens_the_graph_and_asks(settings: Settings, environment: dict[str, str]) -> None:
    program = """
import json
from hipporag_neo4j import HippoRAG
from tests.embedders import HashEmbedder
with HippoRAG(embedder=HashEmbedder(384)) as rag:
    found = {mode: [p.id for p in rag.retrieve("ada bob", mode=mode, entities=["ada"]).passages]
             for mode in ("hipporag1", "dense", "bm25")}
    print(json.dumps(found | {"passages": rag.status().passages}))
"""
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, PASSAGES)
        expected = {
            mode: [p.id for p in rag.retrieve("ada bob", mode=mode, entities=["ada"]).passages]
            for mode in ("hipporag1", "dense", "bm25")
        }
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == expected | {"passages": 2}


def test_nobody_at_the_address(settings: Settings) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    with pytest.raises(ServerUnavailableError, match=rf":{free} can't be reached.*Couldn't connect.*doctor"):
        HippoRAG(settings.model_copy(update={"neo4j_uri": f"bolt://127.0.0.1:{free}"}))


@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("127.0.0.1:7687", ConfigurationError),
        ("http://127.0.0.1:7474", ConfigurationError),
        ("bolt://no-such-host.invalid:7687", ServerUnavailableError),
        ("neo4j://no-such-host.invalid:7687", ServerUnavailableError),
        ("bolt://127.0.0.1:port", ConfigurationError),
        ("bolt://127.0.0.1:0", ConfigurationError),
        ("bolt://127.0.0.1:65536", ConfigurationError),
        ("bolt://127.0.0.1:99999999", ConfigurationError),
        ("neo4j://:7687", ConfigurationError),
        ("bolt://[::1", ConfigurationError),
    ],
)
def test_an_address_that_is_none(uri: str, error: type[Exception], settings: Settings) -> None:
    with pytest.raises(error, match=r"NEO4J_URI|can't be reached"):
        HippoRAG(settings.model_copy(update={"neo4j_uri": uri}))


def test_no_address_and_no_local_server(settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match="NEO4J_URI isn't set, and no local server runs"):
        open_database(settings.model_copy(update={"neo4j_uri": None}))


def test_a_user_who_is_refused(settings: Settings) -> None:
    """A name that doesn't exist, so that nobody's account is locked; the fourth try is refused for its rate."""
    nobody = settings.model_copy(
        update={"neo4j_username": f"nobody{uuid.uuid4().hex[:6]}", "neo4j_password": SecretStr("wrong-password")}
    )
    try:
        HippoRAG(nobody).close()
    except AuthenticationError:
        pass
    else:
        pytest.skip("the server asks for no password")
    for _ in range(5):
        with pytest.raises(AuthenticationError, match="NEO4J_PASSWORD") as refused:
            HippoRAG(nobody)
        assert "wrong-password" not in str(refused.value)


def test_a_password_that_is_missing(settings: Settings, server: TestServer) -> None:
    try:
        HippoRAG(settings.model_copy(update={"neo4j_username": "x", "neo4j_password": SecretStr("y")})).close()
    except AuthenticationError:
        pass
    else:
        pytest.skip("the server asks for no password")
    with pytest.raises(AuthenticationError):
        HippoRAG(settings.model_copy(update={"neo4j_password": None}))


def test_a_database_that_is_not_there(settings: Settings) -> None:
    with (
        HippoRAG(settings.model_copy(update={"neo4j_database": "no.such.db"}), embedder=HashEmbedder(384)) as rag,
        pytest.raises(DatabaseError, match=r"no such database.*NEO4J_DATABASE"),
    ):
        rag.status()


@pytest.fixture
def database(settings: Settings) -> Database:
    return open_database(settings)


def test_a_statement_that_fails_is_named(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {
        "probe/broken": "MATCH (n RETURN n",
        "probe/divide": "RETURN 1 / 0 AS infinite",
        "probe/no_gds": "CALL gds.noSuchProcedure() YIELD x RETURN x",
    }
    monkeypatch.setattr(queries, "load", lambda name: queries.Query(name, broken[name], "", frozenset(), "", "read"))
    for name, code in (("probe/broken", "SyntaxError"), ("probe/divide", "ArithmeticError")):
        for run in (database.run, lambda query: list(database.stream(query))):
            with pytest.raises(QueryError, match=rf"cypher/{name}\.cypher failed") as failed:
                run(name)
            assert failed.value.query == name
            assert code in failed.value.code
            assert "\n" not in str(failed.value)
    with pytest.raises(DatabaseError, match="Graph Data Science"):
        database.run("probe/no_gds")
    database.close()


def test_parameters_that_differ_from_the_declared_ones(database: Database) -> None:
    with pytest.raises(TypeError, match=r"missing \['namespace'\], unknown \['name_space'\]"):
        database.run("schema/find_graph", name_space="x")
    with pytest.raises(TypeError, match=r"missing \['namespace'\]"):
        next(database.stream("status/count_facts"))
    with pytest.raises(TypeError, match=r"unknown \['x'\]"):
        database.run("schema/create_run_index", x=1)
    with pytest.raises(TypeError, match="unknown"):
        database.write("probe", lambda tx: tx.run("schema/find_graph", namespace="x", y=1))
    database.close()


def test_a_statement_that_takes_too_long_is_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = queries.Query(
        "probe/slow", "UNWIND range(1, 1000000000) AS x RETURN max(sin(x))", "", frozenset(), "", "read"
    )
    database = open_database(settings.model_copy(update={"query_timeout": 0.5}))
    monkeypatch.setattr(queries, "load", lambda name: slow)
    with pytest.raises(QueryError, match=r"probe/slow.*terminated"):
        database.run("probe/slow")
    database.close()


def test_a_failing_transaction_writes_nothing(database: Database, namespace: str) -> None:
    properties = {"schema_version": 1}

    def fail(tx: Transaction) -> None:
        tx.run("schema/create_graph", namespace=namespace, properties=properties)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        database.write("probe", fail)
    assert database.run("schema/find_graph", namespace=namespace) == []
    database.close()
