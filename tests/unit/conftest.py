"""What unit tests are given beside the fixtures of all tests."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hipporag_neo4j.coroutines import Interruptible
from hipporag_neo4j.llm.openai_model import OpenAIModel
from hipporag_neo4j.llm.transport import BlockingTransport, LoopTransport, Transport
from hipporag_neo4j.llm.trouble import Endpoint
from hipporag_neo4j.settings import Settings
from tests.llm_server import LLMServer

MakeModel = Callable[..., OpenAIModel]


@pytest.fixture(scope="session")
def loop_of_another_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(params=["blocking client", "asynchronous client"])
def make_model(
    request: pytest.FixtureRequest, llm_server: LLMServer, loop_of_another_thread: asyncio.AbstractEventLoop
) -> Iterator[MakeModel]:
    """Makes language models behind the scripted server, from settings to change; all are closed after the test."""
    made: list[OpenAIModel] = []

    def on_loop(endpoint: Endpoint) -> Transport:
        return LoopTransport(endpoint, loop_of_another_thread, Interruptible.current)

    transport = BlockingTransport if request.param == "blocking client" else on_loop

    def make(**changes: Any) -> OpenAIModel:
        values = {"llm_model": "scripted", "openai_base_url": llm_server.url} | changes
        settings = Settings.model_validate(values)
        made.append(OpenAIModel(settings, name="scripted", backoff=0.01, transport=transport))
        return made[-1]

    yield make
    for model in made:
        model.close()
