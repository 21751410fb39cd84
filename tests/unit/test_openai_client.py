"""A client of an endpoint: what it sends for a user name and password in the address, and what it shows."""

import base64
import logging

import pytest

from hipporag_neo4j.openai_client import open_client
from hipporag_neo4j.settings import Settings
from tests.llm_server import LLMServer


def test_a_password_in_the_address_is_sent_and_not_logged(
    llm_server: LLMServer, caplog: pytest.LogCaptureFixture
) -> None:
    address = llm_server.url.replace("http://", "http://ada:p%40ss-canary@")
    with caplog.at_level(logging.DEBUG), open_client("sk-1", address) as client:
        client.models.list()
    (request,) = llm_server.requests
    assert request.path == "/v1/models"
    assert request.headers["authorization"] == "Basic " + base64.b64encode(b"ada:p@ss-canary").decode()
    assert llm_server.url in caplog.text
    assert "canary" not in caplog.text
    assert "canary" not in repr(client) + str(client.base_url)


def test_a_key_is_sent_to_an_address_without_one(llm_server: LLMServer) -> None:
    with open_client("sk-1", llm_server.url, max_retries=0) as client:
        client.models.list()
    assert llm_server.requests[0].headers["authorization"] == "Bearer sk-1"
    with open_client("", None) as client:
        assert str(client.base_url) == "https://api.openai.com/v1/"


def test_settings_are_shown_without_keys_and_passwords() -> None:
    settings = Settings.model_validate(
        {
            "NEO4J_PASSWORD": "canary",
            "OPENAI_API_KEY": "canary",
            "embedding_api_key": "canary",
            "server_password": "canary",
            "OPENAI_BASE_URL": "http://ada:canary@box:8000/v1",
            "embedding_base_url": "https://ada:canary@box/v1?key=canary",
            "NEO4J_URI": "bolt://neo4j:canary@box:7687",
            "maven_repository": "https://ada:canary@box/maven2",
        }
    )
    for shown in (repr(settings), str(settings)):
        assert "canary" not in shown
        assert "http://box:8000/v1" in shown
        assert "bolt://box:7687" in shown
