"""Is a server running here, and which? Asked of the processes where what was written down doesn't tell."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server import launch
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import USERNAME, explain_lost_password, read_password
from hipporag_neo4j.local_server.state import RunningServer, ServerState, read_state
from hipporag_neo4j.local_server.trouble import require_extra

if TYPE_CHECKING:
    import psutil

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
_JARS = re.compile(r"neo4j-(.+)-gds-(.+)-[0-9a-f]{8}")


def find_running_at(home: Home) -> RunningServer | None:
    """The server of this home if its process is alive and it has answered, or listens at its address.

    Takes about 20 ms; starts and changes nothing. Raises LocalServerError when its password isn't known here.
    """
    live = find_live(home)
    if live is None or live.pid is None or not (live.ready or listens(live.pid, live.uri)):
        return None
    password = read_password(home)
    if password is None:
        raise LocalServerError(explain_lost_password(home, live.uri))
    return RunningServer(uri=live.uri, username=USERNAME, password=password, pid=live.pid, home=home.folder)


def find_live(home: Home) -> ServerState | None:
    """The state of this home's server if its process is alive, whether it answers or not.

    Without a state that can be read, or when that names a process that has ended, all processes are looked through.
    """
    state = read_state(home)
    if state is not None and state.pid is not None and is_alive(state.pid, home):
        return state
    if not home.configuration.exists():  # nothing was ever started here
        return None
    found = min(_processes_of(home), key=lambda process: process.create_time(), default=None)
    return None if found is None else _told_by(found, home, state)


def is_alive(pid: int, home: Home) -> bool:
    """Whether process `pid` is the server of this home, and not another one that got its number later."""
    require_extra()
    import psutil

    try:
        return _is_server(psutil.Process(pid), home)
    except psutil.NoSuchProcess:
        return False


def home_argument(home: Home) -> str:
    """The argument by which a server's process is recognised."""
    return f"--home-dir={home.folder}"


def listens(pid: int, uri: str) -> bool:
    """Whether it is this process that listens at the address: the server's password is not for anybody else's."""
    import psutil

    port = urlsplit(uri).port
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied as error:
        raise LocalServerError(
            f"This system doesn't tell whether it is the server (process {pid}) that listens at {uri}, and its "
            "password is not for anybody else. Run the command as the user who started the server, or use a server of "
            "your own by NEO4J_URI."
        ) from error
    return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections)


def _processes_of(home: Home) -> "Iterator[psutil.Process]":
    require_extra()
    import psutil

    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess):
            if _is_server(process, home):
                yield process


def _is_server(process: "psutil.Process", home: Home) -> bool:
    import psutil

    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        command = process.cmdline()
    except psutil.AccessDenied:
        return False
    # The script that launches the server is given the server's command line.
    return MAIN_CLASS in command and home_argument(home) in command and launch.__file__ not in command


def _told_by(process: "psutil.Process", home: Home, before: ServerState | None) -> ServerState | None:
    """The state of a server that nobody wrote down: from its configuration, which is written before it is launched."""
    try:
        text = home.configuration.read_text(encoding="utf-8")
    except (OSError, ValueError):
        text = ""
    port = _number(text, r"^server\.bolt\.listen_address=.*:(\d+)$") or (before.port if before else 0)
    if port == 0:
        raise LocalServerError(
            f"A server runs in {home.folder} (process {process.pid}), but nothing tells its port: {home.state} and "
            f"{home.configuration} can't be read. End that process, then run: hipporag-neo4j server start"
        )
    plugins = re.search(r"^server\.directories\.plugins=(.+)$", text, re.MULTILINE)
    jars = Path(plugins[1]).parent if plugins else None
    versions = _JARS.fullmatch(jars.name) if jars else None
    return ServerState(
        port=port,
        pid=process.pid,
        started=process.create_time(),
        neo4j=versions[1] if versions else "",
        gds=versions[2] if versions else "",
        jars=str(jars or ""),
        heap=_number(text, r"^server\.memory\.heap\.max_size=(\d+)m$"),
        page_cache=_number(text, r"^server\.memory\.pagecache\.size=(\d+)m$"),
    )


def _number(text: str, pattern: str) -> int:
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1]) if found else 0
