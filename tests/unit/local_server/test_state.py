"""Whether a server runs, told from real processes."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from hipporag_neo4j.local_server import RunningServer, find_running, status, stop
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import store_password
from hipporag_neo4j.local_server.process import listens
from hipporag_neo4j.local_server.state import MAIN_CLASS, ServerState, home_argument, is_alive, read_state, write_state
from hipporag_neo4j.settings import Settings


@contextmanager
def sleeper(*arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
    """A process whose command line ends in the given arguments."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", *arguments])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, cache_dir=tmp_path / "cache")


@pytest.fixture
def home(settings: Settings) -> Home:
    made = Home.of(settings.data_dir)
    made.make()
    store_password(made, SecretStr("open sesame"))
    return made


def test_nothing_was_ever_started(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "nowhere", cache_dir=tmp_path / "cache")
    assert find_running(settings) is None
    assert status(settings).state == "stopped"
    assert stop(settings).outcome == "not running"
    assert not (tmp_path / "nowhere").exists()


def test_a_ready_server_is_found(settings: Settings, home: Home) -> None:
    with sleeper(MAIN_CLASS, home_argument(home)) as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        running = find_running(settings)
        assert running is not None
        assert (running.uri, running.username, running.pid) == ("bolt://127.0.0.1:7699", "neo4j", process.pid)
        assert running.password.get_secret_value() == "open sesame"
        assert "open sesame" not in repr(running)
    assert find_running(settings) is None


def test_a_server_that_is_starting_is_not_found_yet(settings: Settings, home: Home) -> None:
    with sleeper(MAIN_CLASS, home_argument(home)) as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=False))
        assert find_running(settings) is None
        assert status(settings).state == "starting"


def test_a_process_that_got_the_number_later_is_no_server_and_is_left_alone(settings: Settings, home: Home) -> None:
    with sleeper() as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        assert find_running(settings) is None
        assert status(settings).state == "died"
        assert stop(settings).outcome == "not running"
        assert process.poll() is None
    assert read_state(home) == ServerState(port=7699)


def test_the_server_of_another_home_is_not_ours(home: Home, tmp_path: Path) -> None:
    with sleeper(MAIN_CLASS, home_argument(Home.of(tmp_path / "other"))) as process:
        assert not is_alive(process.pid, home)


def test_a_dead_child_is_not_alive(home: Home) -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass", MAIN_CLASS, home_argument(home)])
    deadline = time.monotonic() + 30
    while is_alive(process.pid, home) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(process.pid, home)  # nobody has waited for it: it is a zombie now
    process.wait()


@pytest.mark.parametrize("text", ["", '{"port": 76', "[]", '{"port": 7687, "unknown": 1}'])
def test_a_damaged_state_is_no_state(settings: Settings, home: Home, text: str) -> None:
    home.state.write_text(text)
    assert read_state(home) is None
    assert find_running(settings) is None


def test_the_state_holds_no_secret(home: Home) -> None:
    state = ServerState(port=7699, pid=1, ready=True, neo4j="2026.01.4")
    write_state(home, state)
    assert json.loads(home.state.read_text()) == asdict(state)
    assert read_state(home) == state


def test_stop_ends_a_process_and_kills_one_that_does_not_listen(settings: Settings, home: Home) -> None:
    with sleeper(MAIN_CLASS, home_argument(home)) as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        report = stop(settings, timeout=10)
        assert (report.outcome, report.pid) == ("stopped", process.pid)
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", stubborn, MAIN_CLASS, home_argument(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        assert stop(settings, timeout=0.2).outcome == "killed"
    assert read_state(home) == ServerState(port=7699)


def test_finding_out_is_quick(settings: Settings, home: Home) -> None:
    """Every command asks: it must not feel it. Measured in a fresh process, whose imports are what costs."""
    with sleeper(MAIN_CLASS, home_argument(home)) as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        program = (
            "import sys, time\n"
            "from hipporag_neo4j.local_server import find_running\n"
            "from hipporag_neo4j.settings import Settings\n"
            f"settings = Settings(data_dir={str(settings.data_dir)!r})\n"
            "begin = time.process_time()\n"
            "assert find_running(settings) is not None\n"
            "print(time.process_time() - begin)\n"
            "assert not {'neo4j', 'jgo', 'filelock', 'requests'} & set(sys.modules)\n"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 0.1  # seconds of processor time; 0.02 on a quiet machine


def test_a_process_that_does_not_listen_itself_is_not_given_the_password() -> None:
    with socket.socket() as mine:
        mine.bind(("127.0.0.1", 0))
        mine.listen()
        uri = f"bolt://127.0.0.1:{mine.getsockname()[1]}"
        with sleeper() as process:
            found = RunningServer(uri, "neo4j", SecretStr("open sesame"), process.pid, Path())
            assert not listens(found)
        assert listens(replace(found, pid=os.getpid()))
    assert not listens(found)
