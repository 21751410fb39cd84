"""Whether a server runs, told from real processes."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import SecretStr

from hipporag_neo4j.connect import open_database
from hipporag_neo4j.errors import ConfigurationError, HippoRAGError, LocalServerError, ServerUnavailableError
from hipporag_neo4j.local_server import find_running, launch, status, stop
from hipporag_neo4j.local_server.configuration import Memory, configure
from hipporag_neo4j.local_server.find import MAIN_CLASS, find_live, home_argument, is_alive, listens
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import store_password
from hipporag_neo4j.local_server.state import ServerState, read_state, write_state
from hipporag_neo4j.settings import Settings

SLEEPS = "import time; print('ready', flush=True); time.sleep(60)"
LISTENS = "import socket; s = socket.create_server(('127.0.0.1', {port})); " + SLEEPS


@contextmanager
def sleeper(*arguments: str, does: str = SLEEPS) -> "Iterator[subprocess.Popen[bytes]]":
    """A process whose command line ends in the given arguments."""
    process = subprocess.Popen([sys.executable, "-c", does, *arguments], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


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


DAMAGED = [
    b"",
    b'{"port": 76',
    b"[]",
    b'{"port": 7687, "unknown": 1}',
    b'{"port": 99999}',
    b'{"port": 7687, "pid": "12"}',
    b'{"port": 7687, "pid": -1}',
    b"\xff\xfe\x00",
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_state_is_no_state(settings: Settings, home: Home, content: bytes) -> None:
    home.state.write_bytes(content)
    assert read_state(home) is None
    assert find_running(settings) is None
    assert stop(settings).outcome == "not running"


def test_a_state_that_cannot_be_read_is_no_state(settings: Settings, home: Home) -> None:
    home.state.mkdir()
    assert read_state(home) is None
    assert status(settings).state == "stopped"


@pytest.fixture
def port(home: Home, tmp_path: Path) -> int:
    """A free port that stands in the server's configuration."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
    plugins = tmp_path / "neo4j-2026.01.4-gds-2.26.0-06565285" / "plugins"
    home.configuration.write_text(configure(port=found, memory=Memory(512, 128), plugins=plugins))
    return found


@pytest.mark.parametrize("content", [*DAMAGED[:2], None, b'{"port": 7001, "pid": null}'])
def test_a_server_that_nobody_wrote_down_is_found_by_its_process(
    settings: Settings, home: Home, port: int, content: bytes | None
) -> None:
    if content is not None:
        home.state.write_bytes(content)
    with sleeper(MAIN_CLASS, home_argument(home), does=LISTENS.format(port=port)) as process:
        running = find_running(settings)
        assert running is not None
        assert (running.pid, running.uri) == (process.pid, f"bolt://127.0.0.1:{port}")
        told = status(settings)
        assert (told.state, told.pid, told.heap, told.page_cache) == ("not answering", process.pid, 512, 128)
        assert (told.neo4j, told.gds) == ("2026.01.4", "2.26.0")
        report = stop(settings, timeout=10)
        assert (report.outcome, report.pid) == ("stopped", process.pid)
    assert find_running(settings) is None
    after = read_state(home)
    assert after is not None
    assert (after.port, after.pid) == (port, None)


def test_one_that_nobody_wrote_down_and_that_does_not_listen_yet_is_starting(
    settings: Settings, home: Home, port: int
) -> None:
    with sleeper(MAIN_CLASS, home_argument(home)):
        assert find_running(settings) is None
        assert status(settings).state == "starting"
        with pytest.raises(ServerUnavailableError, match=r"is starting, or recovers.*server start"):
            open_database(settings)


def test_one_whose_start_was_killed_before_it_was_ready_is_found_once_it_listens(
    settings: Settings, home: Home, port: int
) -> None:
    with sleeper(MAIN_CLASS, home_argument(home), does=LISTENS.format(port=port)) as process:
        write_state(home, ServerState(port=port, pid=process.pid, ready=False))
        running = find_running(settings)
        assert running is not None
        assert running.pid == process.pid


def test_nothing_tells_the_port(settings: Settings, home: Home) -> None:
    home.configuration.write_text("server.bolt.listen_address=somewhere")
    with (
        sleeper(MAIN_CLASS, home_argument(home)) as process,
        pytest.raises(LocalServerError, match=rf"process {process.pid}\), but nothing tells its port"),
    ):
        find_running(settings)


def test_the_script_that_launches_a_server_is_no_server(home: Home, port: int) -> None:
    with sleeper(launch.__file__, "java", MAIN_CLASS, home_argument(home)):
        assert find_live(home) is None


def test_other_commands_say_why_the_local_server_cannot_be_used(settings: Settings, home: Home) -> None:
    def said() -> str:
        with pytest.raises(HippoRAGError) as raised:
            open_database(settings)
        return str(raised.value)

    with pytest.raises(ConfigurationError, match="no local server runs"):
        open_database(settings)
    (home.data / "databases" / "system").mkdir(parents=True)
    assert "is stopped. Start it: hipporag-neo4j server start" in said()
    write_state(home, ServerState(port=7699, pid=2**22 + 1, ready=True))
    assert f"(process {2**22 + 1}) ended without being stopped" in said()
    assert str(home.log) in said()
    assert "hipporag-neo4j server start" in said()


def test_a_running_server_whose_password_is_lost_is_told(settings: Settings, home: Home) -> None:
    with sleeper(MAIN_CLASS, home_argument(home)) as process:
        write_state(home, ServerState(port=7699, pid=process.pid, ready=True))
        for content in (b"", b"\xff\xfe", None):
            home.password.unlink()
            if content is not None:
                home.password.write_bytes(content)
            with pytest.raises(LocalServerError, match=r"HIPPORAG_SERVER_PASSWORD=.*--reset-password") as raised:
                open_database(settings)
            assert str(home.password) in str(raised.value)
            home.password.touch()
        home.password.write_bytes(b"\xff")
        told = status(settings)
        assert told.password is None
        assert "can't be read" in (told.problem or "")


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
            assert not listens(process.pid, uri)
        assert listens(os.getpid(), uri)
    assert not listens(process.pid, uri)
