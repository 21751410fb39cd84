"""The Neo4j server that tests talk to: the one given by NEO4J_URI, else a container, else the local server."""

import gc
import hashlib
import os
import re
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from pydantic import SecretStr

from hipporag_neo4j.settings import Settings

if TYPE_CHECKING:
    import neo4j

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "test_"
"""Every namespace that tests make begins with this."""
STARTUP_SECONDS = 120.0
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What tells Java that a server lives for minutes: a third of its work would be to prepare for longer."""


class NoServerError(Exception):
    """There is no server to test with; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class TestServer:
    """A running server. `disposable`: everything in it may be deleted. `log`: its log file, if it can be read here."""

    __test__ = False

    uri: str
    username: str
    password: SecretStr | None
    database: str | None
    origin: Literal["given", "container", "local"]
    disposable: bool
    log: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables under which the product finds this server."""
        password = self.password.get_secret_value() if self.password else None
        variables = {
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": self.username,
            "NEO4J_PASSWORD": password,
            "NEO4J_DATABASE": self.database,
        }
        return {name: value for name, value in variables.items() if value is not None}


def open_driver(server: TestServer) -> "neo4j.Driver":
    """A driver for the server; the caller closes it."""
    import neo4j

    auth = (server.username, server.password.get_secret_value()) if server.password else None
    return neo4j.GraphDatabase.driver(server.uri, auth=auth, notifications_min_severity="OFF")


@contextmanager
def provide_server(given: Mapping[str, str], folder: Path) -> Iterator[TestServer]:
    """A server for the time of the context; `given` is the environment, `folder` an empty one for the server's data.

    Raises NoServerError.
    """
    if given.get("NEO4J_URI"):
        yield _given(given)
        return
    image = compose_image()
    if image and docker_has(image):
        with _container(image, folder) as server:
            yield server
        return
    with _local(folder) as server:
        yield server


def _given(given: Mapping[str, str]) -> TestServer:
    import neo4j.exceptions

    password = given.get("NEO4J_PASSWORD")
    server = TestServer(
        uri=given["NEO4J_URI"],
        username=given.get("NEO4J_USERNAME", "neo4j"),
        password=SecretStr(password) if password else None,
        database=given.get("NEO4J_DATABASE"),
        origin="given",
        disposable=given.get("HIPPORAG_TEST_DISPOSABLE") == "1",
    )
    try:
        with open_driver(server) as driver:
            driver.execute_query("RETURN 1", database_=server.database)
    except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError) as error:
        raise NoServerError(f"NEO4J_URI is {server.uri}, which doesn't answer as it should: {error}") from error
    return server


def compose_image() -> str | None:
    """The image that docker/compose.yaml names, so that tests run what the project ships."""
    compose = ROOT / "docker" / "compose.yaml"
    if not compose.is_file():
        return None
    named = re.search(r"^\s*image:\s*[\"']?([^\s\"'#]+)", compose.read_text(), re.MULTILINE)
    return named.group(1) if named else None


def docker_has(image: str) -> bool:
    """Whether a Docker daemon answers and holds the image; nothing is pulled."""
    import docker
    import docker.errors

    with warnings.catch_warnings():
        # Where nobody listens the client forgets to close its socket, which Python notices when it collects garbage.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            with closing(docker.from_env(timeout=10)) as client:
                client.images.get(image)
            found = True
        except docker.errors.DockerException:
            found = False
        gc.collect()
    return found


@contextmanager
def _container(image: str, folder: Path) -> Iterator[TestServer]:
    import docker.errors
    import neo4j.exceptions

    # The reaper is another image, which may be absent; the container is stopped below.
    os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
    from testcontainers.core.container import DockerContainer

    password = "only-for-tests"
    container = (
        DockerContainer(image)
        .with_env("NEO4J_AUTH", f"neo4j/{password}")
        .with_env("NEO4J_PLUGINS", '["graph-data-science"]')
        .with_exposed_ports(7687)
    )
    log = folder / "container.log"
    try:
        container.start()
    except docker.errors.DockerException as error:
        raise NoServerError(f"Docker has the image {image}, but no container can be started: {error}") from error
    try:
        server = TestServer(
            uri=f"bolt://{container.get_container_host_ip()}:{container.get_exposed_port(7687)}",
            username="neo4j",
            password=SecretStr(password),
            database=None,
            origin="container",
            disposable=True,
            log=log,
        )
        deadline = time.monotonic() + STARTUP_SECONDS
        with open_driver(server) as driver:
            while True:
                try:
                    driver.execute_query("RETURN gds.version()")
                    break
                except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.ClientError) as error:
                    if time.monotonic() > deadline:
                        raise NoServerError(
                            f"A container of {image} isn't ready after {STARTUP_SECONDS:.0f} s: {error}"
                        ) from error
                    time.sleep(0.5)
        yield server
    finally:
        log.write_bytes(b"".join(container.get_logs()))
        container.stop()


@contextmanager
def short_lived() -> Iterator[None]:
    """Servers that are started in the context aren't prepared for a long life."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {_SHORT_LIVED}".strip())
        yield


@contextmanager
def _local(folder: Path) -> Iterator[TestServer]:
    from hipporag_neo4j import local_server
    from hipporag_neo4j.errors import LocalServerError

    settings = Settings(data_dir=folder)
    try:
        with short_lived():
            running = local_server.start(settings).server
    except LocalServerError as error:
        raise NoServerError(f"No NEO4J_URI, no container, and the local server doesn't start: {error}") from error
    try:
        yield TestServer(
            uri=running.uri,
            username=running.username,
            password=running.password,
            database=None,
            origin="local",
            disposable=True,
            log=running.home / "logs" / "console.log",
        )
    finally:
        local_server.stop(settings)


def remove_namespace(driver: "neo4j.Driver", database: str | None, namespace: str) -> None:
    """Delete what a namespace of a test holds: nodes, relationships, projections."""
    if not namespace.startswith(PREFIX):
        raise ValueError(f"{namespace!r} was not made by a test: its name doesn't begin with {PREFIX!r}.")
    with driver.session(database=database) as session:
        _drop_projections(session, f"hipporag.{namespace}.")
        session.run(
            "MATCH (n) WHERE n.namespace = $namespace CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS",
            namespace=namespace,
        ).consume()


def digest(driver: "neo4j.Driver", server: TestServer, namespace: str) -> str:
    """A hash of every node and relationship of a namespace, to the last bit of their properties."""
    with driver.session(database=server.database) as session:
        found = session.run(
            "MATCH (n) WHERE n.namespace = $namespace OPTIONAL MATCH (n)-[r]->(m) "
            "RETURN elementId(n), labels(n), properties(n), elementId(r), type(r), properties(r), elementId(m)",
            namespace=namespace,
        ).values()
    return hashlib.sha256("\n".join(sorted(map(repr, found))).encode()).hexdigest()


def count_nodes(driver: "neo4j.Driver", database: str | None) -> int:
    """How many nodes the database holds, whoever they belong to."""
    with driver.session(database=database) as session:
        record = session.run("MATCH (n) RETURN count(n) AS nodes").single(strict=True)
        return int(record["nodes"])


def wipe(driver: "neo4j.Driver", database: str | None) -> None:
    """Delete everything: projections, nodes, constraints, indexes. Only for a disposable server."""
    with driver.session(database=database) as session:
        _drop_projections(session, "")
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
        for record in list(session.run("SHOW CONSTRAINTS YIELD name")):
            session.run(f"DROP CONSTRAINT `{record['name']}` IF EXISTS").consume()
        for record in list(session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'")):
            session.run(f"DROP INDEX `{record['name']}` IF EXISTS").consume()


def _drop_projections(session: "neo4j.Session", prefix: str) -> None:
    import neo4j.exceptions

    try:
        session.run(
            "CALL gds.graph.list() YIELD graphName WHERE graphName STARTS WITH $prefix "
            "CALL gds.graph.drop(graphName, false) YIELD graphName AS dropped RETURN count(dropped)",
            prefix=prefix,
        ).consume()
    except neo4j.exceptions.ClientError as error:
        if error.code != "Neo.ClientError.Procedure.ProcedureNotFound":
            raise
