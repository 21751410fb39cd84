"""What indexing costs, on the command line: a budget, and the reports of runs."""

import json
from pathlib import Path

import pytest

from tests.acceptance.command_line import CommandLine
from tests.llm_server import LLMServer

PRICES = """
currency = "EUR"
date = 2026-05-04
[models.scripted]
input = 1000
output = 4000
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "passages.jsonl"
    file.write_text(
        "".join(json.dumps({"id": f"p{i}", "text": f"Ada{i} met Bob{i} in Paris."}) + "\n" for i in range(12))
    )
    return str(file)


def test_a_run_stops_at_its_budget_and_the_same_command_goes_on(
    source: str, line: CommandLine, llm_server: LLMServer, tmp_path: Path
) -> None:
    run = line.run("index", source, "--max-tokens", "3000", status=3, HIPPORAG_LLM_MODEL="scripted")
    assert "--max-tokens" in run.stderr
    assert "Run the same command again to go on with a new budget" in run.stderr
    (tmp_path / "prices.toml").write_text(PRICES)
    prices = str(tmp_path / "prices.toml")
    stopped = line.read(
        "index", source, "--max-cost", "1.7", "--prices", prices, status=3, HIPPORAG_LLM_MODEL="scripted"
    )["run"]
    assert stopped["stopped"] == "max_cost"
    assert 0 < stopped["cost"] <= 1.7
    assert (stopped["currency"], stopped["price_date"]) == ("EUR", "2026-05-04")
    done = line.read("index", source, "--max-tokens", "100000", HIPPORAG_LLM_MODEL="scripted")["run"]
    assert (done["stopped"], done["left"]) == (None, 0)
    assert done["written"] == stopped["left"]
    assert len(llm_server.chats) == 24

    listed = line.read("runs")
    assert [one["state"] for one in listed["runs"]] == ["finished", "stopped", "stopped"]
    assert sum(one["prompt_tokens"] for one in listed["runs"]) == sum(one["prompt_tokens"] for one in listed["spent"])
    assert "Spent on scripted in 1 run: " in line.run("runs").stdout
    shown = line.run("runs", stopped["id"]).stdout
    assert "stopped (max_cost)" in shown
    assert line.read("runs", stopped["id"])["source"] == source
    report = tmp_path / "run.md"
    line.run("runs", stopped["id"], "--output", str(report))
    assert report.read_text().startswith(f"# Run {stopped['id']}")
    assert "| cost | " in report.read_text()


def test_an_estimate_asks_nobody_and_says_what_it_rests_on(
    source: str, line: CommandLine, llm_server: LLMServer
) -> None:
    found = line.read("estimate", source, "--model", "gpt-4o-mini")
    assert not llm_server.requests
    assert found["passages"]["new"] == 12
    assert [call["calls"] for call in found["calls"]] == [12, 12]
    assert all(call["basis"].startswith("default") for call in found["calls"])
    assert found["batch_cost"] == pytest.approx(found["cost"] / 2)
    assert (found["currency"], len(found["price_date"])) == ("USD", 10)
    shown = line.run("estimate", source, HIPPORAG_LLM_MODEL="scripted").stdout
    assert "unknown: prices.toml of the package has no price of 'scripted'" in " ".join(shown.split())
    assert "Graph Data Science's own estimate" in shown
    without_key = CommandLine({k: v for k, v in line.environment.items() if k != "OPENAI_BASE_URL"})
    assert without_key.read("estimate", source, "--model", "gpt-4o-mini")["cost"] == found["cost"]


def test_money_without_a_price_is_refused_before_anything_is_read_or_asked(
    line: CommandLine, llm_server: LLMServer
) -> None:
    run = line.run("index", "no-such-file.jsonl", "--max-cost", "1", status=1, HIPPORAG_LLM_MODEL="scripted")
    assert "no price" in run.stderr
    assert not llm_server.requests


def test_what_can_not_be_a_report(line: CommandLine) -> None:
    assert "name it" in line.run("runs", "--output", "x.md", status=2).stderr
    assert line.read("runs", "x", status=1)["error"]["type"] == "InputError"
    assert line.read("runs", status=1)["error"]["type"] == "GraphNotFoundError"
