"""Command lines for acceptance tests."""

import pytest

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer


@pytest.fixture
def line(environment: dict[str, str], llm_server: LLMServer) -> CommandLine:
    """The command line on the test's server and namespace, with scripted models in place of real ones."""
    # All namespaces of a database share one vector dimension: that of the default model.
    llm_server.dimensions = 384
    models = {
        "HIPPORAG_EMBEDDING_PROVIDER": "openai",
        "HIPPORAG_EMBEDDING_MODEL": "scripted-embeddings",
        "HIPPORAG_EMBEDDING_BASE_URL": llm_server.url,
        "OPENAI_BASE_URL": llm_server.url,
    }
    return CommandLine(environment | models)
