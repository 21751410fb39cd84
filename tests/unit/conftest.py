"""What unit tests are given beside the fixtures of all tests."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hipporag_neo4j.llm.openai_model import OpenAIModel
from hipporag_neo4j.settings import Settings
from tests.llm_server import LLMServer

MakeModel = Callable[..., OpenAIModel]


@pytest.fixture
def make_model(llm_server: LLMServer) -> Iterator[MakeModel]:
    """Makes language models behind the scripted server, from settings to change; all are closed after the test."""
    made: list[OpenAIModel] = []

    def make(**changes: Any) -> OpenAIModel:
        values = {"llm_model": "scripted", "openai_base_url": llm_server.url} | changes
        made.append(OpenAIModel(Settings.model_validate(values), name="scripted", backoff=0.01))
        return made[-1]

    yield make
    for model in made:
        model.close()
