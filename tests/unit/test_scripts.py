"""The scripts find a Python to work with, and get one only where nobody sits."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with a Python that has no module venv until `apt-get` was asked for it."""
    python = tmp_path / "python3"
    python.write_text(
        "#!/bin/sh\n"
        f'case "$2" in *ensurepip*) test -e "{tmp_path}/installed" || exit 1 ;; esac\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$@"\ncase "$*" in *python3-venv*) touch "{tmp_path}/installed" ;; esac\n')
    for program in (python, apt):
        program.chmod(0o755)
    return tmp_path


def find_python(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", "source scripts/_common.sh; find_python"],
        cwd=ROOT,
        env={"PATH": f"{folder}{os.pathsep}{os.defpath}", "PYTHON": "python3", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_in_ci_what_is_missing_is_installed(bare: Path) -> None:
    run = find_python(bare, CI="true")
    assert run.returncode == 0, run.stderr
    assert run.stdout == "python3\n"
    assert "python3-venv" in run.stderr


def test_at_a_desk_it_is_named_and_nothing_is_installed(bare: Path) -> None:
    run = find_python(bare)
    assert run.returncode == 1
    assert "apt-get install python3-venv" in run.stderr
    assert not (bare / "installed").exists()


def test_a_whole_python_is_taken_as_it_is(bare: Path) -> None:
    (bare / "installed").touch()
    run = find_python(bare, CI="true")
    assert (run.returncode, run.stdout, run.stderr) == (0, "python3\n", "")


def test_ci_calls_the_two_scripts_and_nothing_else() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("#")]
    shell = ("set ", "cd ", "export ", "checked=", "exit ")
    assert [line.split()[0] for line in code if not line.startswith(shell)] == ["scripts/check", "scripts/test"]
