"""A door in front of a server: connections go through while it is open, and are cut when it is shut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Door:
    """Listens on a port of its own, `address`, and hands on to `behind`, a host and a port."""

    def __init__(self, behind: tuple[str, int]) -> None:
        self._behind = behind
        self._lock = threading.Lock()
        self._open = True
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def uri(self) -> str:
        """The address to give as NEO4J_URI."""
        return f"bolt://127.0.0.1:{self._listening.getsockname()[1]}"

    def shut(self) -> None:
        """Cut every connection, and take no more."""
        with self._lock:
            self._open = False
            for pair in self._pairs:
                for end in pair:
                    with suppress(OSError):  # cut by the other side already
                        end.shutdown(socket.SHUT_RDWR)
            self._pairs.clear()

    def open(self) -> None:
        """Let connections through again."""
        with self._lock:
            self._open = True

    def close(self) -> None:
        """Cut everything, for good."""
        self.shut()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            with self._lock:
                if not self._open:
                    near.close()
                    continue
                far = socket.create_connection(self._behind)
                self._pairs.append((near, far))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()


@contextmanager
def door_to(uri: str) -> Iterator[Door]:
    """A Door in front of a Neo4j server, open, for the length of a `with` block."""
    parts = urlsplit(uri)
    door = Door((parts.hostname or "localhost", parts.port or 7687))
    try:
        yield door
    finally:
        door.close()
