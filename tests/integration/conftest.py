"""What integration tests are given beside the fixtures of all tests."""

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j.settings import Settings
from tests.servers import PREFIX, TestServer, remove_namespace

if TYPE_CHECKING:
    import neo4j


@pytest.fixture(scope="module")
def module_settings(
    server: TestServer, driver: "neo4j.Driver", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """As `settings`, with a namespace that the tests of a module share; for graphs that they only read."""
    shared = Settings(
        neo4j_uri=server.uri,
        neo4j_username=server.username,
        neo4j_password=server.password,
        neo4j_database=server.database,
        namespace=f"{PREFIX}{uuid.uuid4().hex[:12]}",
        data_dir=tmp_path_factory.mktemp("data"),
    )
    yield shared
    remove_namespace(driver, server.database, shared.namespace)
