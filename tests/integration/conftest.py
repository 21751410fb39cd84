"""What integration tests are given beside the fixtures of all tests."""

import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS
from tests.llm_server import LLMServer
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


@pytest.fixture
def open_rag(settings: Settings, llm_server: LLMServer) -> Callable[..., HippoRAG]:
    """Opens the namespace with a language model at the scripted server."""

    def open_it(**changes: object) -> HippoRAG:
        model = {"llm_model": "scripted", "openai_base_url": llm_server.url, "openai_api_key": None, "llm_retries": 0}
        own = Settings.model_validate(
            settings.model_dump() | model | {"neo4j_password": settings.neo4j_password} | changes
        )
        return HippoRAG(own, embedder=HashEmbedder(DIMENSIONS))

    return open_it
