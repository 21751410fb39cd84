"""How the server's process ends, and what is said when it doesn't."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.find import MAIN_CLASS, home_argument, listens
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.process import NotReadyError, PortTakenError, end, explain_death, wait_until_ready
from hipporag_neo4j.local_server.state import RunningServer

SLEEP = "import time; print('ready', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
as_root = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can become the user who may not do it"
)

Begin = Callable[[str], int]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Starts Python programs that print a line when they are ready; they are gone after the test."""
    begun: list[subprocess.Popen[str]] = []

    def begin(program: str) -> int:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        begun.append(process)
        assert process.stdout is not None
        told = process.stdout.readline().split()
        return int(told[1]) if len(told) > 1 else process.pid

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def test_one_that_listens_is_stopped_and_one_that_does_not_is_killed(begin: Begin) -> None:
    assert end(begin(SLEEP), 20) == "stopped"
    assert end(begin(STUBBORN), 0.3) == "killed"
    assert end(2**22 + 1, 1) == "stopped"  # a number that no process has


def test_one_whose_parent_does_not_notice_has_ended_all_the_same(begin: Begin) -> None:
    """In a container the first process often notices nobody's end; waiting for that would take for ever."""
    careless = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print('ready', child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    pid = begin(careless)
    started = time.monotonic()
    assert end(pid, 20) == "stopped"
    assert time.monotonic() - started < 15
    assert psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_one_that_survives_a_kill_is_told(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = begin(STUBBORN)
    monkeypatch.setattr(psutil.Process, "kill", lambda process: None)  # as if it hung in the kernel
    with pytest.raises(LocalServerError, match=rf"process {pid}\) was killed, but still runs.*restart the machine"):
        end(pid, 0.1, kill_limit=0.2)


def test_one_that_may_recover_its_data_is_not_killed(begin: Begin) -> None:
    pid = begin(STUBBORN)
    assert end(pid, 0.2, kill=False) == "running"
    assert psutil.pid_exists(pid)


def test_a_server_is_waited_for_while_its_logs_grow_and_left_running_after_that(tmp_path: Path) -> None:
    """It writes for 1.5 s; the limit of 0.7 s counts from its last word."""
    home = Home.of(tmp_path)
    home.make()
    home.log.touch()
    recovering = (
        "import sys, time\n"
        "print('ready', flush=True)\n"
        "for step in range(15):\n"
        "    time.sleep(0.1)\n"
        "    print('recovered', step, file=open(sys.argv[1], 'a'))\n"
        "time.sleep(600)\n"
    )
    debug_log = home.log.parent / "debug.log"
    command = [sys.executable, "-c", recovering, str(debug_log), MAIN_CLASS, home_argument(home)]
    stages = []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            begun = time.monotonic()
            server = RunningServer("bolt://127.0.0.1:9", "neo4j", SecretStr("x"), process.pid, home.folder)
            with pytest.raises(NotReadyError, match=r"left running.*hipporag-neo4j server start"):
                wait_until_ready(home, server, 0.7, lambda progress: stages.append(progress.stage), "recover")
            assert time.monotonic() - begun > 1.5
            assert debug_log.read_text().endswith("recovered 14\n")
            assert process.poll() is None
        finally:
            process.kill()
    assert set(stages) == {"recover"}


@as_root
def test_a_process_of_another_user_is_told(begin: Begin) -> None:
    pid = begin(SLEEP)
    program = (
        "import os, sys\n"
        "import psutil\n"
        "from hipporag_neo4j.errors import LocalServerError\n"
        "from hipporag_neo4j.local_server.process import end\n"
        "os.setuid(65534)\n"
        "try: end(int(sys.argv[1]), 1)\n"
        "except LocalServerError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(pid)], capture_output=True, text=True, check=False, timeout=60
    )
    assert f"(process {pid}) may not be ended by this user" in run.stdout, run.stderr
    assert psutil.pid_exists(pid)


def test_a_system_that_does_not_tell_who_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: psutil.Process, kind: str) -> None:
        raise psutil.AccessDenied(process.pid)

    monkeypatch.setattr(psutil.Process, "net_connections", refuse)
    with pytest.raises(LocalServerError, match=r"bolt://127\.0\.0\.1:7, and its password.*NEO4J_URI"):
        listens(os.getpid(), "bolt://127.0.0.1:7")


def test_a_port_taken_in_the_last_moment_names_the_next_step(tmp_path: Path) -> None:
    home = Home.of(tmp_path)
    home.make()
    home.log.write_text("java.net.BindException: Address already in use\n")
    server = RunningServer("bolt://127.0.0.1:7687", "neo4j", SecretStr("x"), 1, home.folder)
    death = explain_death(home, server)
    assert isinstance(death, PortTakenError)
    assert "server start again, or choose another port with --port" in str(death)


def test_one_that_was_stopped_while_it_started_did_not_fail(tmp_path: Path) -> None:
    home = Home.of(tmp_path)
    home.make()
    home.log.write_text("INFO  [o.n.s.CommunityBootstrapper] Neo4j Server shutdown initiated by request\n")
    server = RunningServer("bolt://127.0.0.1:7687", "neo4j", SecretStr("x"), 1, home.folder)
    assert "told to stop while it started" in str(explain_death(home, server))
    home.log.write_text("ERROR Failed to start Neo4j\n" + home.log.read_text())
    assert "ended while it started. Its last lines" in str(explain_death(home, server))
