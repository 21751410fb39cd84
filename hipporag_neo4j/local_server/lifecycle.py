"""What happens, step by step, when the server is started and stopped?"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.configuration import Memory, configure, memory_here, parse_size, suggest_memory
from hipporag_neo4j.local_server.fetch import fetch
from hipporag_neo4j.local_server.find import find_live
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.jars import JarList, pinned_jars
from hipporag_neo4j.local_server.log import start_new_log
from hipporag_neo4j.local_server.password import (
    USERNAME,
    check_password,
    explain_lost_password,
    forget_users,
    read_password,
    settle_password,
    store_password,
    write_private,
)
from hipporag_neo4j.local_server.ports import choose_port
from hipporag_neo4j.local_server.process import NotReadyError, PortTakenError, end, launch, wait_until_ready
from hipporag_neo4j.local_server.progress import OnProgress, Progress, Stage, ignore
from hipporag_neo4j.local_server.ready import RefusedPasswordError, change_password
from hipporag_neo4j.local_server.state import (
    RunningServer,
    ServerState,
    forget_process,
    read_state,
    write_state,
)
from hipporag_neo4j.local_server.trouble import explained, require_extra, require_space
from hipporag_neo4j.settings import Settings

PORT_ATTEMPTS = 3
NEEDED_BYTES = 200_000_000
"""Free space without which no start is tried: Neo4j fails in the middle of a write when there is none."""
_QUEUE_SECONDS = 1.0
_SETTING = "HIPPORAG_DATA_DIR"
_DATA = "the data of the local server"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to start. `heap` and `page_cache` like `512m` or `2g`, suited to the machine unless given; `port` must be
    free if given. `timeout`: seconds to wait while the server's logs stand still; as long as they grow, it recovers its
    data or gets ready, and is waited for. The password comes from `Settings.server_password`; `reset_password` gives
    data whose password is lost that one, or a random one."""

    port: int | None = None
    heap: str | None = None
    page_cache: str | None = None
    timeout: float = 180.0
    reset_password: bool = False


@dataclass(frozen=True, slots=True)
class StartReport:
    """What a start did. `notes` are sentences for people; `seconds` is the whole time it took."""

    server: RunningServer
    already_running: bool
    fetched: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StopReport:
    """What a stop did: `killed` when the server did not end by itself within the time limit."""

    outcome: Literal["not running", "stopped", "killed"]
    pid: int | None
    seconds: float


def start(
    settings: Settings, options: ServerOptions = ServerOptions(), on_progress: OnProgress = ignore
) -> StartReport:
    """Starts the local server, or finds it running or starting; fetches its jars where they are missing.

    The server outlives this process. Starts at the same time end with the same server. Raises LocalServerError with
    what was found and what to do, ConfigurationError for an unusable option. A server that isn't ready in time is left
    running: the next start goes on waiting for it.
    """
    require_extra()
    begin = time.monotonic()
    home = Home.of(settings.data_dir)
    with explained(home.folder, _DATA, _SETTING):
        home.make()
        with _alone(home, on_progress):
            live = find_live(home)
            if live is not None:
                report = _join(live, home, settings, options, on_progress)
            else:
                report = _start_new(settings, options, home, on_progress)
    return replace(report, seconds=time.monotonic() - begin)


def stop(settings: Settings, *, timeout: float = 60.0) -> StopReport:
    """Stops the local server; kills it when it still runs after `timeout` seconds. Its data stay."""
    begin = time.monotonic()
    home = Home.of(settings.data_dir)
    live = find_live(home)
    if live is None or live.pid is None:
        state = read_state(home)
        if state is not None and state.pid is not None:
            _forget(home, state)
        return StopReport("not running", None, 0.0)
    outcome = end(live.pid, timeout)
    _forget(home, live)
    killed = outcome == "killed"
    return StopReport("killed" if killed else "stopped", live.pid, time.monotonic() - begin)


def _forget(home: Home, state: ServerState) -> None:
    """Notes that the server has ended. Where nothing can be written, nothing need be: its process is gone."""
    with suppress(OSError):
        forget_process(home, state)


@contextmanager
def _alone(home: Home, on_progress: OnProgress) -> Iterator[None]:
    """No other start can be here at the same time: whoever comes second finds the first one's server."""
    from filelock import FileLock, Timeout

    begin = time.monotonic()
    lock = FileLock(home.lock)
    while True:
        try:
            lock.acquire(timeout=_QUEUE_SECONDS)
        except Timeout:
            on_progress(Progress("queue", time.monotonic() - begin, 0))
        else:
            break
    try:
        yield
    finally:
        lock.release()


def _start_new(settings: Settings, options: ServerOptions, home: Home, on_progress: OnProgress) -> StartReport:
    memory = _choose_memory(options)
    jar_list = pinned_jars()
    folder = jar_list.folder(settings.cache_dir.expanduser().resolve())
    if options.port is not None:
        choose_port(options.port, None)  # a taken port is said before anything is fetched
    fetched = fetch(jar_list.jars, folder, repository=settings.maven_repository, on_progress=on_progress)
    require_space(home.folder, NEEDED_BYTES, _DATA, _SETTING)
    before = read_state(home)
    notes = []
    if died := before is not None and before.pid is not None:
        notes.append(f"The server before (process {before.pid}) ended without being stopped; Neo4j recovers its data.")
    wanted = settings.server_password
    if options.reset_password and home.has_data:
        if wanted is not None:
            check_password(wanted)
        forget_users(home)
        notes.append("The password is a new one.")
    password = settle_password(home, wanted)
    launching = _Launch(home, folder, memory, jar_list, options.timeout, "recover" if died else "start", wanted)
    server = _launch_on_free_port(launching, options, before, password, on_progress)
    if options.port is None and before is not None and not server.uri.endswith(f":{before.port}"):
        notes.append(f"Port {before.port}, used the last time, is taken by another program.")
    if wanted is not None and wanted != server.password:
        change_password(server, wanted)
        server = replace(server, password=wanted)
        notes.append("The password was changed to the one given.")
    store_password(home, server.password)
    return StartReport(server, already_running=False, fetched=len(fetched), seconds=0.0, notes=tuple(notes))


@dataclass(frozen=True, slots=True)
class _Launch:
    """What stays the same from one attempt to launch to the next."""

    home: Home
    jars: Path
    memory: Memory
    jar_list: JarList
    timeout: float
    stage: Stage
    wanted: SecretStr | None


def _launch_on_free_port(
    launching: _Launch,
    options: ServerOptions,
    before: ServerState | None,
    password: SecretStr,
    on_progress: OnProgress,
) -> RunningServer:
    """Launches; once more on another port when somebody takes the chosen one in the meantime."""
    for attempt in range(PORT_ATTEMPTS):
        port = choose_port(options.port, before.port if before else None)
        try:
            return _launch_at(port, launching, password, on_progress)
        except PortTakenError:
            if options.port is not None or attempt == PORT_ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def _launch_at(port: int, launching: _Launch, password: SecretStr, on_progress: OnProgress) -> RunningServer:
    home, memory, jar_list = launching.home, launching.memory, launching.jar_list
    may_recover = home.has_data
    write_private(home.configuration, configure(port=port, memory=memory, plugins=launching.jars / "plugins"))
    start_new_log(home)
    pid = launch(home, launching.jars, memory)
    state = ServerState(
        port=port,
        pid=pid,
        started=time.time(),
        neo4j=jar_list.neo4j,
        gds=jar_list.gds,
        jars=str(launching.jars),
        heap=memory.heap,
        page_cache=memory.page_cache,
    )
    server = RunningServer(state.uri, USERNAME, password, pid, home.folder)
    try:
        write_state(home, state)
        server = _log_in(home, server, launching.wanted, launching.timeout, on_progress, launching.stage)
        write_state(home, replace(state, ready=True))
    except NotReadyError:
        raise
    except BaseException:  # Ctrl-C too: nobody would wait for this process; one that recovers is never killed
        if end(pid, 10, kill=not may_recover) != "running":
            _forget(home, state)
        raise
    return server


def _join(
    live: ServerState, home: Home, settings: Settings, options: ServerOptions, on_progress: OnProgress
) -> StartReport:
    """A server runs, or starts and was left to itself: waits until it is ready."""
    if options.reset_password:
        raise LocalServerError(
            f"The local server runs (process {live.pid}), and its password is set anew before a start only. Run: "
            "hipporag-neo4j server stop"
        )
    wanted = settings.server_password
    password = read_password(home) or wanted
    if live.pid is None or password is None:
        raise LocalServerError(explain_lost_password(home, live.uri))
    server = RunningServer(live.uri, USERNAME, password, live.pid, home.folder)
    server = _log_in(home, server, wanted, options.timeout, on_progress, "start")
    if read_state(home) != replace(live, ready=True):
        write_state(home, replace(live, ready=True))
    if read_password(home) != server.password:
        store_password(home, server.password)
    return _report_running(server, settings, options)


def _log_in(
    home: Home,
    server: RunningServer,
    wanted: SecretStr | None,
    timeout: float,
    on_progress: OnProgress,
    stage: Stage,
) -> RunningServer:
    """Waits until the server is ready; with the `wanted` password where it refuses the stored one."""
    try:
        wait_until_ready(home, server, timeout, on_progress, stage)
    except RefusedPasswordError:
        if wanted is None or wanted == server.password:
            raise
        server = replace(server, password=wanted)
        wait_until_ready(home, server, timeout, on_progress, stage)
    return server


def _report_running(server: RunningServer, settings: Settings, options: ServerOptions) -> StartReport:
    differs = []
    if options.port is not None and not server.uri.endswith(f":{options.port}"):
        differs.append("port")
    if settings.server_password is not None and settings.server_password != server.password:
        differs.append("password")
    if options.heap is not None or options.page_cache is not None:
        differs.append("memory")
    notes = []
    if differs:
        notes.append(
            f"It keeps the {' and '.join(differs)} it was started with; to change that, run hipporag-neo4j server stop "
            "first."
        )
    return StartReport(server, already_running=True, fetched=0, seconds=0.0, notes=tuple(notes))


def _choose_memory(options: ServerOptions) -> Memory:
    memory = suggest_memory(memory_here())
    if options.heap is not None:
        memory = replace(memory, heap=parse_size(options.heap))
    if options.page_cache is not None:
        memory = replace(memory, page_cache=parse_size(options.page_cache))
    return memory
