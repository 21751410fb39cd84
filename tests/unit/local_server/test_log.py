"""The log: its end, lines as they come, and what a dead server's last words mean."""

import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server import RunningServer, follow_log, read_log
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.log import start_new_log, tail
from hipporag_neo4j.local_server.process import PortTakenError, explain_death
from hipporag_neo4j.settings import Settings


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.of(tmp_path)
    made.make()
    return made


def test_no_log_yet(tmp_path: Path) -> None:
    with pytest.raises(LocalServerError, match="no server was started there"):
        read_log(Settings(data_dir=tmp_path))


def test_the_last_lines(home: Home, tmp_path: Path) -> None:
    home.log.write_text("one\ntwo\nthree\n")
    assert read_log(Settings(data_dir=tmp_path), 2) == ["two", "three"]
    assert read_log(Settings(data_dir=tmp_path), 0) == []


def test_a_message_leaves_out_the_steps_of_a_stack_trace(home: Home) -> None:
    home.log.write_text("Started\nError: no\n\tat a.b.C(C.java:1)\n\t... 9 more\nCaused by: that\n\n")
    assert tail(home, 2) == "Error: no\nCaused by: that"


def test_a_new_start_keeps_the_log_before(home: Home) -> None:
    start_new_log(home)
    home.log.write_text("first\n")
    start_new_log(home)
    assert (home.log.read_text(), home.older_log.read_text()) == ("", "first\n")


def test_following_goes_on_across_a_restart(home: Home, tmp_path: Path) -> None:
    home.log.write_text("old\n")
    done = threading.Event()
    lines = follow_log(Settings(data_dir=tmp_path), lambda: not done.is_set())
    seen: list[str] = []
    first = threading.Event()

    def read() -> None:
        for line in lines:
            seen.append(line)
            first.set()
            if line == "last":
                done.set()

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(100):  # the reader begins at the end of the log, whenever that is
        with home.log.open("a") as file:
            file.write("new\n")
        if first.wait(0.1):
            break
    start_new_log(home)
    with home.log.open("a") as file:
        file.write("la")
        file.flush()
        file.write("st\n")
    reader.join(20)
    done.set()
    assert "old" not in seen
    assert seen[-1] == "last"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("java.io.IOException: No space left on device", "The disk is full.*HIPPORAG_DATA_DIR"),
        ("Lock file has been locked by another process: store_lock", "Another process uses the data"),
        ("There is insufficient memory for the Java Runtime Environment to continue.", "--heap 512m"),
        ("Unrecognized option: -Xfoo", r"(?s)last lines.*Unrecognized option: -Xfoo.*server logs"),
    ],
)
def test_last_words(home: Home, line: str, message: str) -> None:
    home.log.write_text(f"Starting\n{line}\n\tat somewhere(Some.java:1)\n")
    server = RunningServer("bolt://127.0.0.1:7687", "neo4j", SecretStr("open sesame"), 1, home.folder)
    with pytest.raises(LocalServerError, match=message):
        raise explain_death(home, server)


def test_a_port_taken_meanwhile_is_recognised(home: Home) -> None:
    home.log.write_text("Caused by: java.net.BindException: Address already in use\n")
    server = RunningServer("bolt://127.0.0.1:7687", "neo4j", SecretStr("open sesame"), 1, home.folder)
    assert isinstance(explain_death(home, server), PortTakenError)
