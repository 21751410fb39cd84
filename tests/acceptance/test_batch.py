"""`index --batch`, left alone, and `index --resume`: what they say, how they end, what a script can rely on."""

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer


@pytest.fixture
def line(line: CommandLine, tmp_path: Path) -> CommandLine:
    """The command line, with the scripted language model, and a price of it."""
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'currency = "EUR"\ndate = 2026-05-04\n'
        '[models."scripted"]\ninput = 1000\noutput = 4000\nbatch_input = 500\nbatch_output = 2000\n'
    )
    return CommandLine({**line.environment, "HIPPORAG_LLM_MODEL": "scripted", "HIPPORAG_PRICES": str(prices)})


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "passages.jsonl"
    path.write_text(
        "".join(json.dumps({"id": id_, "text": f"{id_} lies on the Tiber."}) + "\n" for id_ in ("Rome", "Ostia"))
    )
    return str(path)


def test_a_batch_is_sent_left_and_collected(line: CommandLine, llm_server: LLMServer, source: str) -> None:
    llm_server.batch_api.steps = ("in_progress", "in_progress", "finalizing", "completed")
    planned = line.run("index", source, "--batch", "--dry-run")
    assert re.search(r"In batches that would cost about \d[\d.]* EUR", planned.stderr)
    assert llm_server.batch_api.sent == []
    sent = line.run("index", source, "--batch")
    assert "Sent: round 1, 2 requests, validating." in sent.stderr
    assert "To collect: hipporag-neo4j index --resume" in sent.stderr
    assert "is under way" in line.run("index", source, "--batch", status=1).stderr
    told = line.read("index", "--resume", status=3)["batch"]
    assert (told["state"], told["round"], told["batches"][0]["requests"]) == ("waiting", 1, 2)
    shown = line.run("batch", "status")
    assert "in progress" in shown.stdout
    assert line.read("status")["passages"] == 0
    written = line.run("index", "--resume", "--wait")
    assert "Round 1, 2 requests, finalizing." in written.stderr
    assert "Sent: round 2, 2 requests, validating." in written.stderr
    collected = re.search(r"4 answers in 2 rounds, ([\d,]+ \+ [\d,]+ tokens), ([\d.]+ EUR) at the", written.stderr)
    assert collected is not None
    used, cost = collected.groups()
    assert "2 of 2 passages written" in written.stderr
    assert llm_server.chats == []
    listed = line.read("batch", "status")["batches"]
    assert [(batch["status"], batch["kept"]) for batch in listed] == [("completed", 2), ("completed", 2)]
    runs = line.run("runs").stdout
    assert f"Spent on scripted in 2 batches: {cost}, {used}." in runs
    (run,) = (words.split()[0] for words in runs.splitlines() if "finished" in words)
    report = line.run("runs", run).stdout
    assert f"2 batches, {used}, {cost} (prices of batches of 2026-05-04)" in " ".join(report.split())
    assert "No batch is under way" in line.run("index", "--resume", status=1).stderr
    again = line.run("index", source, "--batch")
    assert "no batch is sent" in again.stderr
    assert "2 unchanged" in again.stderr


def test_a_batch_is_cancelled_and_an_endpoint_without_batches_is_named(
    line: CommandLine, llm_server: LLMServer, source: str
) -> None:
    llm_server.batch_api.steps = ("in_progress",)
    with Path(source).open("a") as file:
        file.write('{"id": "Veii", "text": " "}\n')
    sent = line.run("index", source, "--batch", status=1)
    assert "1 passage left out; everything else is sent" in " ".join(sent.stderr.split())
    assert "1 batch is under way" in line.run("drop", "--dry-run").stderr
    assert "is being cancelled" in line.run("batch", "cancel", "--yes").stderr
    ended = line.run("index", "--resume", "--wait", status=1)
    assert "The batch was cancelled" in ended.stderr
    llm_server.batch_api.absent = True
    refused = line.read("index", source, "--batch", status=1)["error"]
    assert refused["type"] == "LLMError"
    assert "seems to have no Batch API" in refused["message"]
    assert "budget" in line.run("index", source, "--batch", "--max-tokens", "9", status=1).stderr
    assert llm_server.chats == []
