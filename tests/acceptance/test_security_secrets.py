"""No password and no key shows: not in output, logs of any level, stack traces, reports, or the graph."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer, Request, extract_from_prompt
from tests.servers import ROOT, TestServer

CANARIES = {
    "OPENAI_API_KEY": "sk-canary-openai-0451",
    "HIPPORAG_EMBEDDING_API_KEY": "sk-canary-embedding-0452",
    "HIPPORAG_SERVER_PASSWORD": "canary-server-0453",
}
PROGRAM = """
import json, logging, sys, traceback
logging.basicConfig(level=logging.DEBUG, filename=sys.argv[1], encoding="utf-8")
from hipporag_neo4j.cli.app import app
from hipporag_neo4j.settings import Settings
ended = {}
print(repr(Settings()), str(Settings()))
for words in json.loads(sys.argv[2]):
    try:
        ended[" ".join(words)] = app(words, standalone_mode=False) or 0
    except BaseException as error:
        ended[" ".join(words)] = str(getattr(error, "exit_code", type(error).__name__))
        traceback.print_exc()
print(json.dumps(ended), file=sys.stderr)
"""


@dataclass(frozen=True)
class Ran:
    """How each command ended, and all that could be read of the process."""

    ended: Mapping[str, object]
    read: Mapping[str, str]

    def shows(self, secrets: Mapping[str, str]) -> list[tuple[str, str]]:
        """Where which secret can be read."""
        return [
            (where, name) for where, text in self.read.items() for name, secret in secrets.items() if secret in text
        ]


def run(environment: Mapping[str, str], folder: Path, *commands: list[str]) -> Ran:
    """Run commands in one process that logs everything, the libraries' debug messages included."""
    log = folder / "log.txt"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(log), json.dumps(commands)],
        cwd=ROOT,
        env={**environment, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    files = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()}
    *_, last = done.stderr.splitlines()
    return Ran(json.loads(last), {"output": done.stdout, "errors": done.stderr, **files})


@pytest.fixture
def environment_with_canaries(line: CommandLine, llm_server: LLMServer) -> dict[str, str]:
    url = llm_server.url.replace("http://", "http://ada:canary-url-0454@")
    return {
        **line.environment, **CANARIES, "HIPPORAG_LLM_MODEL": "scripted", "HIPPORAG_LLM_RETRIES": "0",
        "HIPPORAG_EMBEDDING_RETRIES": "0", "OPENAI_BASE_URL": llm_server.url, "HIPPORAG_EMBEDDING_BASE_URL": url,
    }  # fmt: skip


@pytest.fixture
def secrets(server: TestServer) -> dict[str, str]:
    """All that mustn't be shown, the real password of the test server among it."""
    real = server.password.get_secret_value() if server.password else ""
    return {**CANARIES, "address": "canary-url-0454"} | ({"NEO4J_PASSWORD": real} if len(real) >= 8 else {})


@pytest.fixture
def commands(tmp_path: Path) -> list[list[str]]:
    """What reads, writes and reports, with and without --json."""
    source, questions = tmp_path / "passages.jsonl", tmp_path / "questions.json"
    source.write_text('{"id": "1", "text": "Ada met Bob in Lund."}\n{"id": "2", "text": "Bob met Cleo in Rome."}\n')
    questions.write_text('[{"id": "q", "question": "Whom did Bob meet?", "entities": ["Bob"], "gold": ["2"]}]')
    report = str(tmp_path / "report.md")
    return [
        ["doctor", "--json"],
        ["index", str(source), "--json"],
        ["status", "--failed", "--json"],
        ["retry-failed"],
        ["retrieve", "Whom did Bob meet?", "--json"],
        ["retrieve", "Whom did Bob meet?", "--mode", "dense"],
        ["ask", "Whom did Bob meet?", "--json"],
        ["evaluate", str(questions), "--mode", "hipporag1", "--report", report],
        ["cache", "status", "--json"],
        ["server", "status", "--json"],
        ["delete", "--id", "1"],
        ["drop", "--dry-run", "--json"],
    ]


def in_the_graph(driver: neo4j.Driver, server: TestServer, namespace: str) -> str:
    found = driver.execute_query(
        "MATCH (n) WHERE n.namespace = $namespace OPTIONAL MATCH (n)-[r]->() "
        "RETURN n {.*, embedding: null}, r {.*, embedding: null}",
        namespace=namespace,
        database_=server.database,
    ).records
    return "\n".join(repr(list(row)) for row in found)


def test_while_all_goes_well(
    environment_with_canaries: dict[str, str],
    secrets: dict[str, str],
    commands: list[list[str]],
    tmp_path: Path,
    namespace: str,
    driver: neo4j.Driver,
    server: TestServer,
    llm_server: LLMServer,
) -> None:
    def respond(request: Request) -> str:
        if "<passages>" in request.prompt:
            return '{"explanation": "It says so [1].", "answer": "Bob", "passages": [1]}'
        return (
            '{"relevant_facts": [1], "named_entities": ["Bob"]}'
            if "<facts>" in request.prompt
            else (extract_from_prompt(request))
        )

    llm_server.respond = respond
    ran = run(environment_with_canaries, tmp_path, *commands)
    assert {words: status for words, status in ran.ended.items() if status != 0} == {}
    assert "C: LOGON" in ran.read["log.txt"]  # the driver's log, its bytes included
    assert "HTTP Request: POST http" in ran.read["log.txt"]  # those of the models' clients
    assert "report.md" in ran.read
    kept = in_the_graph(driver, server, namespace)
    assert "HippoRun" in kept or "finished" in kept
    assert Ran({}, {**ran.read, "graph": kept}).shows(secrets) == []
    sent = [request.headers.get("authorization", "") for request in llm_server.requests]
    assert any(CANARIES["OPENAI_API_KEY"] in header for header in sent)  # it was in use


def test_while_the_models_refuse_the_keys_and_repeat_them(
    environment_with_canaries: dict[str, str],
    secrets: dict[str, str],
    commands: list[list[str]],
    tmp_path: Path,
    namespace: str,
    driver: neo4j.Driver,
    server: TestServer,
    llm_server: LLMServer,
) -> None:
    llm_server.api_key = "sk-another"
    ran = run(environment_with_canaries, tmp_path, *commands)
    assert ran.ended["doctor --json"] != 0
    assert ran.ended["retrieve Whom did Bob meet? --json"] != 0
    assert "Incorrect API key" in ran.read["errors"] + ran.read["output"]
    assert Ran({}, {**ran.read, "graph": in_the_graph(driver, server, namespace)}).shows(secrets) == []


def test_while_the_server_refuses_the_password_or_is_away(
    environment_with_canaries: dict[str, str], secrets: dict[str, str], commands: list[list[str]], tmp_path: Path
) -> None:
    wrong = {"NEO4J_USERNAME": "nobody", "NEO4J_PASSWORD": "canary-neo4j-0455"}
    for number, place in enumerate((None, "bolt://neo4j:canary-neo4j-0455@127.0.0.1:1")):
        folder = tmp_path / str(number)
        folder.mkdir()
        changed = {**wrong, "NEO4J_URI": place or environment_with_canaries["NEO4J_URI"]}
        ran = run({**environment_with_canaries, **changed}, folder, commands[0], ["status", "--json"])
        assert ran.ended["status --json"] != 0
        assert ran.shows({**secrets, "wrong": "canary-neo4j-0455"}) == []
