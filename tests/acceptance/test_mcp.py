"""`hipporag-neo4j mcp` as an agent's program starts it: another process, spoken to by a real client."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command_line import CommandLine, no_ctrl_c
from tests.libraries import need
from tests.servers import ROOT

need("mcp")

from mcp import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.types import CallToolResult  # noqa: E402

QUESTION = "Who in Pellick was taught by Oda Merrin?"
ADD = {"passages": [{"text": "Oda Merrin taught Ilse Corvane.", "id": "a"}]}


async def converse(client: Client) -> list[CallToolResult]:
    """Add, ask wrongly, ask rightly several times at once."""
    calls: list[tuple[str, dict[str, Any]]] = [("add_passages", ADD), ("retrieve", {"question": 3}), ("fly", {})]
    results = [await client.call_tool(name, arguments) for name, arguments in calls]
    asked = {"question": QUESTION, "entities": ["Oda Merrin"], "mode": "hipporag1"}
    results += await asyncio.gather(*(client.call_tool("retrieve", asked) for _ in range(4)))
    return [result for result in results if isinstance(result, CallToolResult)]


def check(results: list[CallToolResult]) -> None:
    """What the conversation must have given."""
    added, wrong, unknown, *found = results
    assert added.structured_content is not None
    assert added.structured_content["written"] == 1
    assert wrong.is_error
    assert unknown.is_error
    assert len(found) == 4
    for result in found:
        assert result.structured_content is not None
        assert [passage["id"] for passage in result.structured_content["passages"]] == ["a"]


@pytest.fixture
def writing(line: CommandLine) -> CommandLine:
    """With a language model, and every warning shown."""
    return CommandLine({**line.environment, "HIPPORAG_LLM_MODEL": "scripted", "PYTHONWARNINGS": "default"})


def test_an_agent_speaks_to_it(writing: CommandLine, tmp_path: Path) -> None:
    started = StdioServerParameters(
        command=writing.command[0],
        args=[*writing.command[1:], "mcp", "--allow-write"],
        env=dict(writing.environment),
        cwd=ROOT,
    )

    async def speak(errors: Path) -> list[CallToolResult]:
        with errors.open("w", encoding="utf-8") as log:
            async with Client(stdio_client(started, errlog=log)) as client:
                return await converse(client)

    check(asyncio.run(speak(tmp_path / "errors")))
    assert "Traceback" not in (tmp_path / "errors").read_text(encoding="utf-8")


def test_standard_output_carries_the_protocol_alone_and_its_end_ends_it(writing: CommandLine) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    lines = "".join(f"{json.dumps(message)}\n" for message in (hello, ready, asked))
    run = subprocess.run(
        [*writing.command, "mcp"],
        input=lines,
        cwd=ROOT,
        env=dict(writing.environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    answers = {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}
    assert answers.keys() <= {1, 2}
    assert answers[1]["result"]["serverInfo"]["name"] == "hipporag-neo4j"
    if 2 in answers:  # its input may end before it is answered
        assert answers[2]["result"]["isError"]
        assert "holds no graph" in answers[2]["result"]["content"][0]["text"]


@no_ctrl_c
def test_ctrl_c_ends_it(line: CommandLine) -> None:
    process = subprocess.Popen(
        [*line.command, "mcp"],
        cwd=ROOT,
        env=dict(line.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1  # it is up, and waits for the next message
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    output, errors = process.communicate()
    assert output == b""
    assert b"Traceback" not in errors


def test_over_http_it_is_the_same(writing: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*writing.command, "mcp", "--allow-write", "--port", str(port)],
        cwd=ROOT,
        env=dict(writing.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )

    async def speak() -> list[CallToolResult]:
        for _ in range(600):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            return await converse(client)

    try:
        check(asyncio.run(speak()))
        taken = writing.run("mcp", "--port", str(port), status=1)
        assert f"port {port} is in use" in taken.stderr
    finally:
        process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
    assert output == b""
    assert b"Traceback" not in errors, errors.decode()


def test_writing_without_a_language_model_is_refused(line: CommandLine) -> None:
    run = line.run("mcp", "--allow-write", status=1)
    assert "no language model is set that reads them" in run.stderr
    assert run.stdout == ""
