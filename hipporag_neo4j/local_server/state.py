"""What did the last start write down?"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, SecretStr, TypeAdapter

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.password import write_private
from hipporag_neo4j.local_server.ports import HOST


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

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    port: Annotated[int, Field(ge=1, le=65535)]
    pid: Annotated[int, Field(ge=1)] | None = None
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
        return TypeAdapter(ServerState).validate_json(home.state.read_bytes())
    except NotADirectoryError as error:
        raise LocalServerError(
            f"The local server's data folder can't be made: a part of {home.state} is a file. Set HIPPORAG_DATA_DIR "
            "or --data-dir to a folder."
        ) from error
    except (OSError, ValueError):  # absent, not ours, cut off by a full disk or a crash: then nothing is known
        return None


def write_state(home: Home, state: ServerState) -> None:
    write_private(home.state, json.dumps(asdict(state), indent=1) + "\n")


def forget_process(home: Home, state: ServerState) -> None:
    """Notes that the server has ended; the port is remembered for the next start."""
    write_state(home, replace(state, pid=None, ready=False))
