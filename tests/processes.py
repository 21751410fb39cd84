"""Processes that start at once: forked off one that has imported what they need, and nothing else has touched."""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.servers import ROOT

if sys.platform == "win32":  # nothing forks there
    CONTEXT = multiprocessing.get_context("spawn")
else:
    CONTEXT = multiprocessing.get_context("forkserver")
    CONTEXT.set_forkserver_preload(["tests.preloaded"])


def run_command(arguments: Sequence[str], environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Runs `hipporag-neo4j` with these arguments and this whole environment, to its end, in a process of its own.

    A new interpreter would take a second to import what the command needs. There is one all the same where variables
    that only its start reads, PYTHON…, aren't those of this process.
    """
    command = [sys.executable, "-m", "hipporag_neo4j.cli", *arguments]
    if sys.platform == "win32" or _for_interpreter(environment) != _for_interpreter(os.environ):
        given = {**environment, "PYTHONUTF8": "1"}
        return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    with TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = CONTEXT.Process(target=_command, args=(arguments, dict(environment), out, err), daemon=True)
        process.start()
        try:
            process.join()
        finally:
            process.kill()  # a test that ran into its time limit
        assert process.exitcode is not None
        said = [path.read_text(encoding="utf-8") if path.exists() else "" for path in (out, err)]
    return subprocess.CompletedProcess(command, process.exitcode, *said)


def _for_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PYTHON") and name != "PYTHONUTF8"}


def _command(arguments: Sequence[str], environment: Mapping[str, str], out: Path, err: Path) -> None:
    from hipporag_neo4j.cli import main

    for path, stream, errors in ((out, sys.stdout, "strict"), (err, sys.stderr, "backslashreplace")):
        assert isinstance(stream, io.TextIOWrapper)
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), stream.fileno())
        stream.reconfigure(encoding="utf-8", errors=errors)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["hipporag-neo4j", *arguments]
    sys.exit(main())
