"""Is a server running here, and which?"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import USERNAME, read_password, write_private
from hipporag_neo4j.local_server.ports import HOST
from hipporag_neo4j.local_server.trouble import require_extra

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A local server that answers: how to reach it."""

    uri: str
    username: str
    password: SecretStr
    pid: int
    home: Path


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a start wrote down. `pid` is None after a stop; `ready` once the server has answered; `started` is in
    seconds since 1970; heap and page cache in megabytes."""

    port: int
    pid: int | None = None
    ready: bool = False
    started: float = 0.0
    neo4j: str = ""
    gds: str = ""
    jars: str = ""
    heap: int = 0
    page_cache: int = 0

    @property
    def uri(self) -> str:
        return f"bolt://{HOST}:{self.port}"


def read_state(home: Home) -> ServerState | None:
    """What the last start wrote down; None when there was none, or its file can't be read."""
    try:
        values: dict[str, Any] = json.loads(home.state.read_text(encoding="utf-8"))
        return ServerState(**values)
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise LocalServerError(
            f"The local server's data folder can't be made: a part of {home.state} is a file. Set HIPPORAG_DATA_DIR "
            "or --data-dir to a folder."
        ) from error
    except (ValueError, TypeError):  # cut off by a full disk or a crash: then nothing is known
        return None


def write_state(home: Home, state: ServerState) -> None:
    write_private(home.state, json.dumps(asdict(state), indent=1) + "\n")


def forget_process(home: Home, state: ServerState) -> None:
    """Notes that the server has ended; the port is remembered for the next start."""
    write_state(home, replace(state, pid=None, ready=False))


def is_alive(pid: int, home: Home) -> bool:
    """Whether process `pid` is the server of this home, and not another one that got its number later."""
    require_extra()
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        command = process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
    return MAIN_CLASS in command and home_argument(home) in command


def home_argument(home: Home) -> str:
    """The argument by which a server's process is recognised."""
    return f"--home-dir={home.folder}"


def find_running_at(home: Home) -> RunningServer | None:
    """The server of this home if it has answered and its process is alive. Takes about 20 ms; starts nothing."""
    state = read_state(home)
    if state is None or state.pid is None or not state.ready or not is_alive(state.pid, home):
        return None
    password = read_password(home)
    if password is None:
        return None
    return RunningServer(uri=state.uri, username=USERNAME, password=password, pid=state.pid, home=home.folder)
