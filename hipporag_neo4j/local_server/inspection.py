"""What is there to know about the server, running or not?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.find import find_live, listens
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.jars import pinned_jars
from hipporag_neo4j.local_server.password import USERNAME, explain_lost_password, read_password
from hipporag_neo4j.local_server.ready import RefusedPasswordError, answers, speaks_bolt
from hipporag_neo4j.local_server.state import RunningServer, ServerState, read_state
from hipporag_neo4j.settings import Settings

Condition = Literal["running", "starting", "not answering", "stopped", "died"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`state` `died` means: it ended without being stopped. Sizes in bytes, `resident` the memory of the process,
    heap and page cache in megabytes, `started` in seconds since 1970; None where there is nothing. `problem` says what
    is wrong with the password, and what to do."""

    state: Condition
    pid: int | None
    uri: str | None
    username: str
    password: SecretStr | None
    neo4j: str
    gds: str
    started: float | None
    heap: int | None
    page_cache: int | None
    resident: int | None
    home: Path
    data_bytes: int
    jars: Path
    jars_bytes: int
    log: Path
    problem: str | None


def status(settings: Settings) -> ServerStatus:
    """What is known about the local server. Starts and changes nothing."""
    home = Home.of(settings.data_dir)
    jar_list = pinned_jars()
    running = find_live(home)
    condition = _condition(home, running)
    password, problem = _examine_password(home, running if condition == "running" else None)
    pid = running.pid if running else None
    jars = (
        Path(running.jars) if running and running.jars else jar_list.folder(settings.cache_dir.expanduser().resolve())
    )
    return ServerStatus(
        state=condition,
        pid=pid,
        uri=running.uri if running else None,
        username=USERNAME,
        password=password,
        neo4j=(running and running.neo4j) or jar_list.neo4j,
        gds=(running and running.gds) or jar_list.gds,
        started=running.started if running else None,
        heap=running.heap if running else None,
        page_cache=running.page_cache if running else None,
        resident=_resident(pid) if pid is not None else None,
        home=home.folder,
        data_bytes=_size(home.data),
        jars=jars,
        jars_bytes=_size(jars),
        log=home.log,
        problem=problem,
    )


def explain_absence(settings: Settings) -> str | None:
    """Why no local server can be used, though there is or was one, and what to do; None when there never was one."""
    home = Home.of(settings.data_dir)
    live = find_live(home)
    if live is not None:
        return (
            f"The local server (process {live.pid}) is starting, or recovers its data, and doesn't answer yet. To wait "
            "for it: hipporag-neo4j server start"
        )
    state = read_state(home)
    if state is not None and state.pid is not None:
        return (
            f"The local server (process {state.pid}) ended without being stopped: it failed, was killed, or the "
            f"machine was restarted. Start it again, Neo4j recovers its data: hipporag-neo4j server start. Its log: "
            f"{home.log}"
        )
    if home.has_data:
        return f"The local server with its data in {home.folder} is stopped. Start it: hipporag-neo4j server start"
    return None


def _condition(home: Home, live: ServerState | None) -> Condition:
    if live is None or live.pid is None:
        state = read_state(home)
        return "stopped" if state is None or state.pid is None else "died"
    if not (live.ready or listens(live.pid, live.uri)):
        return "starting"
    return "running" if speaks_bolt(live.uri) else "not answering"


def _examine_password(home: Home, running: ServerState | None) -> tuple[SecretStr | None, str | None]:
    """The stored password, and what is wrong with it; whether the server takes it is seen while one is `running`."""
    try:
        password = read_password(home)
    except LocalServerError as error:
        return None, str(error)
    if running is None or running.pid is None:
        return password, None
    if password is None:
        return None, explain_lost_password(home, running.uri)
    try:
        answers(RunningServer(running.uri, USERNAME, password, running.pid, home.folder))
    except RefusedPasswordError as error:
        return password, str(error)
    return password, None


def _resident(pid: int) -> int | None:
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return None


def _size(folder: Path) -> int:
    """Bytes of all files below a folder; files that vanish meanwhile don't count."""
    total = 0
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total
