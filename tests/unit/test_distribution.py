"""Tests that share a machine: what starts servers takes turns, and no two workers share a server."""

import os
import re
import subprocess
import sys

import pytest

from tests import conftest
from tests.distribution import START_SERVERS, ByFile
from tests.servers import ROOT

STARTS = re.compile(r'OwnServer\(|import ServerOptions, start\b|"server", "start", "--heap"')


def test_every_file_that_starts_servers_is_known() -> None:
    files = [file for kind in ("acceptance", "integration") for file in (ROOT / "tests" / kind).glob("test_*.py")]
    starting = {file.stem for file in files if STARTS.search(file.read_text(encoding="utf-8"))}
    assert starting == set(START_SERVERS)


def test_files_stay_whole_and_those_that_start_servers_together() -> None:
    scope = ByFile.__new__(ByFile)._split_scope
    assert scope("tests/unit/test_a.py::test_one[a::b]") == scope("tests/unit/test_a.py::TestTwo::test_it")
    assert scope("tests/unit/test_a.py::test_one") != scope("tests/integration/test_a.py::test_one")
    assert len({scope(f"tests/integration/{name}.py::test_x") for name in START_SERVERS}) == 1


def test_a_given_server_has_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setitem(conftest.GIVEN, "NEO4J_URI", "bolt://127.0.0.1:1")
    assert conftest.pytest_xdist_auto_num_workers() == 0
    monkeypatch.delitem(conftest.GIVEN, "NEO4J_URI")
    assert conftest.pytest_xdist_auto_num_workers() == 2
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert conftest.pytest_xdist_auto_num_workers() == 1


def test_several_workers_refuse_a_given_server() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "tests/unit/test_text.py"],
        cwd=ROOT,
        env={**os.environ, "NEO4J_URI": "bolt://127.0.0.1:1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "need a server each, and NEO4J_URI names one" in run.stderr
