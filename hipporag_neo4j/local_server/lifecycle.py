"""What happens, step by step, when the server is started and stopped?"""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.configuration import Memory, configure, memory_here, parse_size, suggest_memory
from hipporag_neo4j.local_server.fetch import fetch
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.jars import JarList, pinned_jars
from hipporag_neo4j.local_server.log import start_new_log
from hipporag_neo4j.local_server.password import USERNAME, read_password, settle_password, store_password, write_private
from hipporag_neo4j.local_server.ports import choose_port
from hipporag_neo4j.local_server.process import PortTakenError, end, launch, wait_until_ready
from hipporag_neo4j.local_server.progress import OnProgress, ignore
from hipporag_neo4j.local_server.ready import change_password
from hipporag_neo4j.local_server.state import (
    RunningServer,
    ServerState,
    find_running_at,
    forget_process,
    is_alive,
    read_state,
    write_state,
)
from hipporag_neo4j.local_server.trouble import explained, require_extra, require_space
from hipporag_neo4j.settings import Settings

PORT_ATTEMPTS = 3
NEEDED_BYTES = 200_000_000
"""Free space without which no start is tried: Neo4j fails in the middle of a write when there is none."""
_SETTING = "HIPPORAG_DATA_DIR"
_DATA = "the data of the local server"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to start. `heap` and `page_cache` like `512m` or `2g`, suited to the machine unless given; `timeout` in
    seconds; `port` must be free if given. The password comes from `Settings.server_password`."""

    port: int | None = None
    heap: str | None = None
    page_cache: str | None = None
    timeout: float = 180.0


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
    """Starts the local server, or finds it running; fetches its jars where they are missing.

    The server outlives this process. Starts at the same time end with the same server. Raises LocalServerError with
    what was found and what to do, ConfigurationError for an unusable option.
    """
    require_extra()
    begin = time.monotonic()
    home = Home.of(settings.data_dir)
    running = find_running_at(home)
    if running is None:
        with explained(home.folder, _DATA, _SETTING):
            home.make()
            report = _start_alone(settings, options, home, on_progress)
    else:
        report = _report_running(running, settings, options)
    return replace(report, seconds=time.monotonic() - begin)


def stop(settings: Settings, *, timeout: float = 60.0) -> StopReport:
    """Stops the local server; kills it when it still runs after `timeout` seconds. Its data stay."""
    begin = time.monotonic()
    home = Home.of(settings.data_dir)
    state = read_state(home)
    if state is None or state.pid is None:
        return StopReport("not running", None, 0.0)
    if not is_alive(state.pid, home):
        forget_process(home, state)
        return StopReport("not running", None, 0.0)
    outcome = end(state.pid, timeout)
    forget_process(home, state)
    return StopReport(outcome, state.pid, time.monotonic() - begin)


def _start_alone(settings: Settings, options: ServerOptions, home: Home, on_progress: OnProgress) -> StartReport:
    """Starts while no other start can: whoever comes second finds the first one's server."""
    from filelock import FileLock

    with FileLock(home.lock):
        running = find_running_at(home)
        if running is not None:
            return _report_running(running, settings, options)
        state = read_state(home)
        if state is not None and state.pid is not None:
            if is_alive(state.pid, home):
                return _wait_for_starting(state, home, settings, options, on_progress)
            note = f"The server before (process {state.pid}) ended without being stopped; Neo4j recovers its data."
        else:
            note = ""
        report = _start_new(settings, options, home, state, on_progress)
        return replace(report, notes=(*filter(None, [note]), *report.notes))


def _start_new(
    settings: Settings, options: ServerOptions, home: Home, before: ServerState | None, on_progress: OnProgress
) -> StartReport:
    memory = _choose_memory(options)
    jar_list = pinned_jars()
    folder = jar_list.folder(settings.cache_dir.expanduser().resolve())
    if options.port is not None:
        choose_port(options.port, None)  # a taken port is said before anything is fetched
    fetched = fetch(jar_list.jars, folder, repository=settings.maven_repository, on_progress=on_progress)
    require_space(home.folder, NEEDED_BYTES, _DATA, _SETTING)
    wanted = settings.server_password
    password = settle_password(home, wanted)
    server = _launch_on_free_port(options, home, before, memory, jar_list, folder, password, on_progress)
    notes = []
    if options.port is None and before is not None and not server.uri.endswith(f":{before.port}"):
        notes.append(f"Port {before.port}, used the last time, is taken by another program.")
    if wanted is not None and wanted != password:
        change_password(server, wanted)
        server = replace(server, password=wanted)
        notes.append("The password was changed to the one given.")
    store_password(home, server.password)
    return StartReport(server, already_running=False, fetched=len(fetched), seconds=0.0, notes=tuple(notes))


def _launch_on_free_port(
    options: ServerOptions,
    home: Home,
    before: ServerState | None,
    memory: Memory,
    jar_list: JarList,
    folder: Path,
    password: SecretStr,
    on_progress: OnProgress,
) -> RunningServer:
    """Launches; once more on another port when somebody takes the chosen one in the meantime."""
    for attempt in range(PORT_ATTEMPTS):
        port = choose_port(options.port, before.port if before else None)
        write_private(home.configuration, configure(port=port, memory=memory, plugins=folder / "plugins"))
        start_new_log(home)
        pid = launch(home, folder, memory)
        state = ServerState(
            port=port,
            pid=pid,
            started=time.time(),
            neo4j=jar_list.neo4j,
            gds=jar_list.gds,
            jars=str(folder),
            heap=memory.heap,
            page_cache=memory.page_cache,
        )
        server = RunningServer(state.uri, USERNAME, password, pid, home.folder)
        try:
            write_state(home, state)
            wait_until_ready(home, server, options.timeout, on_progress)
            write_state(home, replace(state, ready=True))
        except PortTakenError:
            if options.port is not None or attempt == PORT_ATTEMPTS - 1:
                raise
        except BaseException:  # Ctrl-C too: nobody would know of this process
            end(pid, 10)
            with suppress(OSError):  # the disk may be full
                forget_process(home, state)
            raise
        else:
            return server
    raise AssertionError("the last attempt returns or raises")


def _wait_for_starting(
    state: ServerState, home: Home, settings: Settings, options: ServerOptions, on_progress: OnProgress
) -> StartReport:
    """A start was interrupted so hard that its server was left to itself: waits for that server."""
    password = read_password(home)
    if state.pid is None or password is None:
        raise LocalServerError(
            f"A server runs in {home.folder}, but its password file is gone. Run: hipporag-neo4j server stop"
        )
    server = RunningServer(state.uri, USERNAME, password, state.pid, home.folder)
    wait_until_ready(home, server, options.timeout, on_progress)
    write_state(home, replace(state, ready=True))
    return _report_running(server, settings, options)


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
