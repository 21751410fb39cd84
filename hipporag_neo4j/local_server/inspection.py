"""What is there to know about the server, running or not?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.jars import pinned_jars
from hipporag_neo4j.local_server.password import USERNAME, read_password
from hipporag_neo4j.local_server.ready import speaks_bolt
from hipporag_neo4j.local_server.state import is_alive, read_state
from hipporag_neo4j.settings import Settings

Condition = Literal["running", "starting", "not answering", "stopped", "died"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`state` `died` means: it ended without being stopped. Sizes in bytes, `resident` the memory of the process,
    heap and page cache in megabytes, `started` in seconds since 1970; None where there is nothing."""

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


def status(settings: Settings) -> ServerStatus:
    """What is known about the local server. Starts and changes nothing."""
    home = Home.of(settings.data_dir)
    jar_list = pinned_jars()
    state = read_state(home)
    pid = state.pid if state is not None else None
    alive = pid is not None and is_alive(pid, home)
    condition: Condition = "stopped" if pid is None else "died"
    if alive and state is not None:
        if not state.ready:
            condition = "starting"
        else:
            condition = "running" if speaks_bolt(state.uri) else "not answering"
    running = state if alive else None
    jars = (
        Path(running.jars) if running and running.jars else jar_list.folder(settings.cache_dir.expanduser().resolve())
    )
    return ServerStatus(
        state=condition,
        pid=pid if alive else None,
        uri=running.uri if running else None,
        username=USERNAME,
        password=read_password(home),
        neo4j=running.neo4j if running else jar_list.neo4j,
        gds=running.gds if running else jar_list.gds,
        started=running.started if running else None,
        heap=running.heap if running else None,
        page_cache=running.page_cache if running else None,
        resident=_resident(pid) if pid is not None and alive else None,
        home=home.folder,
        data_bytes=_size(home.data),
        jars=jars,
        jars_bytes=_size(jars),
        log=home.log,
    )


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
