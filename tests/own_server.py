"""A server that belongs to one test, which may kill it."""

import os
import signal
from pathlib import Path

import psutil

from hipporag_neo4j.local_server.configuration import Memory, configure
from hipporag_neo4j.local_server.fetch import fetch
from hipporag_neo4j.local_server.home import Home
from hipporag_neo4j.local_server.jars import pinned_jars
from hipporag_neo4j.local_server.lifecycle import PORT_ATTEMPTS
from hipporag_neo4j.local_server.log import start_new_log
from hipporag_neo4j.local_server.password import USERNAME, settle_password, write_private
from hipporag_neo4j.local_server.ports import choose_port
from hipporag_neo4j.local_server.process import PortTakenError, end, launch, wait_until_ready
from hipporag_neo4j.local_server.progress import ignore
from hipporag_neo4j.local_server.state import RunningServer
from hipporag_neo4j.settings import Settings
from tests.servers import TestServer, short_lived

MEMORY = Memory(heap=512, page_cache=128)


class OwnServer:
    """A local server with its data in a folder; its folder of plugins is empty unless it has Graph Data Science."""

    def __init__(self, folder: Path, *, data_science: bool = False) -> None:
        jars = pinned_jars()
        cached = jars.folder(Settings().cache_dir)
        fetch(jars.jars, cached)
        self._jars = cached
        if not data_science:
            self._jars = folder / "jars"
            (self._jars / "plugins").mkdir(parents=True)
            (self._jars / "lib").symlink_to(cached / "lib", target_is_directory=True)
        self._home = Home.of(folder)
        self._home.make()
        self._port: int | None = None
        self._pid: int | None = None

    def start(self) -> None:
        """Start it, with the data of before and at the port of before, and wait until it answers."""
        if self._port is not None:
            self._start_at(self._port)
            return
        for attempt in range(PORT_ATTEMPTS):
            port = choose_port(None, None)
            try:
                self._start_at(port)
            except PortTakenError:  # by another server that starts at this moment
                if attempt == PORT_ATTEMPTS - 1:
                    raise
            else:
                self._port = port
                return

    def _start_at(self, port: int) -> None:
        password = settle_password(self._home, None)
        text = configure(port=port, memory=MEMORY, plugins=self._jars / "plugins")
        write_private(self._home.configuration, text)
        start_new_log(self._home)
        with short_lived():
            self._pid = launch(self._home, self._jars, MEMORY)
        server = RunningServer(f"bolt://127.0.0.1:{port}", USERNAME, password, self._pid, self._home.folder)
        wait_until_ready(self._home, server, 180.0, ignore)
        self.address = TestServer(server.uri, USERNAME, password, None, "local", disposable=True, log=self._home.log)

    def kill(self) -> None:
        """End it as a power cut does."""
        assert self._pid is not None
        process = psutil.Process(self._pid)
        os.kill(self._pid, signal.SIGKILL)
        psutil.wait_procs([process], timeout=20)

    def stop(self) -> None:
        """End it, running or not."""
        if self._pid is not None:
            end(self._pid, 30)

    def settings(self, namespace: str) -> Settings:
        """Settings that point at it."""
        return Settings(
            neo4j_uri=self.address.uri,
            neo4j_username=self.address.username,
            neo4j_password=self.address.password,
            namespace=namespace,
        )
