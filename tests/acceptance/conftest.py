"""Command lines for acceptance tests."""

import pytest

from tests.acceptance.command_line import CommandLine, scripted
from tests.llm_server import LLMServer


@pytest.fixture
def line(environment: dict[str, str], llm_server: LLMServer) -> CommandLine:
    """The command line on the test's server and namespace, with scripted models in place of real ones."""
    # All namespaces of a database share one vector dimension: that of the default model.
    llm_server.dimensions = 384
    return CommandLine(environment | scripted(llm_server))
