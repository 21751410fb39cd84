"""A Neo4j server with Graph Data Science on this machine, from Python packages and Maven artifacts alone.

For trial and tests: it listens on the loopback interface only. `Settings.data_dir` tells servers apart, each data
folder has its own; `Settings.cache_dir` holds the jars, which they share.
"""

from collections.abc import Callable, Iterator

from hipporag_neo4j.local_server import password
from hipporag_neo4j.local_server.find import find_running_at
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.inspection import ServerStatus, explain_absence, status
from hipporag_neo4j.local_server.lifecycle import ServerOptions, StartReport, StopReport, start, stop
from hipporag_neo4j.local_server.log import follow, read_lines
from hipporag_neo4j.local_server.progress import OnProgress, Progress
from hipporag_neo4j.local_server.state import RunningServer
from hipporag_neo4j.settings import Settings

__all__ = [
    "OnProgress",
    "Progress",
    "RunningServer",
    "ServerOptions",
    "ServerStatus",
    "StartReport",
    "StopReport",
    "explain_absence",
    "explain_refused_password",
    "find_running",
    "follow_log",
    "read_log",
    "start",
    "status",
    "stop",
]


def find_running(settings: Settings) -> RunningServer | None:
    """The local server of `settings.data_dir` if it runs. About 20 ms; no Java, no connection, nothing is started.

    Raises LocalServerError when it runs and its password is lost.
    """
    return find_running_at(Home.of(settings.data_dir))


def explain_refused_password(server: RunningServer) -> str:
    """What to do about a server that refuses the password that is stored for it."""
    return password.explain_refused_password(Home(server.home), server.uri)


def read_log(settings: Settings, lines: int = 50) -> list[str]:
    """The last lines the server printed, also of one that has ended."""
    return read_lines(Home.of(settings.data_dir), lines)


def follow_log(settings: Settings, is_wanted: Callable[[], bool] = lambda: True) -> Iterator[str]:
    """Lines as the server prints them; ends when `is_wanted` says no."""
    return follow(Home.of(settings.data_dir), is_wanted)
