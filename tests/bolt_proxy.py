"""A proxy between a client and Neo4j that knows the client's messages, and does harm at the one it is told to."""

import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal, Self

When = Literal["before", "inside", "during", "after"]
"""Before a message is passed on, with half of it, while the server works on it, or when it has answered."""
WHENS: tuple[When, ...] = ("before", "inside", "during", "after")

_MANIFEST = b"\x00\x00\x01\xff"
_BEGIN, _RUN, _COMMIT, _HELLO = 0x11, 0x10, 0x12, 0x01
_NAMED = re.compile(rb"\x89statement(?:[\x80-\x8f]|\xd0.)([a-z_/]+)", re.DOTALL)


@dataclass(frozen=True)
class Fault:
    """What happens at a message with this label, after `passed` of them: `harm`, then all connections are reset.

    With `stall` they stay, and nothing passes any more. With `for_good` nobody can connect again either.
    """

    label: str
    when: When
    passed: int = 0
    harm: Callable[[], None] = lambda: None
    for_good: bool = True
    stall: bool = False
    delay: float = 0.0
    """Seconds between a message and the harm `during` it."""


class BoltProxy:
    """Listens at `port`; `messages` has the labels of what clients sent: what for, and which statement of it."""

    def __init__(self, host: str, port: int) -> None:
        self.messages: list[str] = []
        self._struck = threading.Event()
        self._settled = threading.Event()
        self._target = host, port
        self._fault: Fault | None = None
        self._stalled = False
        self._refusing = False
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, fault: Fault | None) -> None:
        """Forget what was, and wait for the fault's message; None lets everything pass."""
        self._close_all()
        self.messages.clear()
        self._struck.clear()
        self._settled.clear()
        self._stalled = self._refusing = False
        self._fault = fault

    def has_struck(self, limit: float = 60.0) -> bool:
        """Whether the fault has happened; waits until its harm is done."""
        return self._struck.is_set() and self._settled.wait(limit)

    def close(self) -> None:
        """Stop listening, cut everything."""
        self._listener.close()
        self._close_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._refusing:
                _reset(client)
                continue
            try:
                server = socket.create_connection(self._target)
            except OSError:
                _reset(client)
                continue
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._sockets |= {client, server}
            _Link(self, client, server).start()

    def _strike(self, fault: Fault) -> None:
        fault.harm()
        if fault.stall:
            self._stalled = True
        else:
            self._refusing = fault.for_good
            self._close_all()
        self._settled.set()

    def _take(self, label: str) -> Fault | None:
        """The fault, if it is to happen at this message; it happens once."""
        with self._lock:
            self.messages.append(label)
            if self._fault is None or self._fault.label != label or self.messages.count(label) <= self._fault.passed:
                return None
            fault, self._fault = self._fault, None
            self._struck.set()
            return fault

    def _close_all(self) -> None:
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            _reset(one)


class _Link:
    """A connection of a client, passed on to the server."""

    def __init__(self, proxy: BoltProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._negotiated = threading.Event()
        self._manifest = False
        self._holding = threading.Event()
        self._answered = threading.Event()
        self._transaction: str | None = None
        self._statements = 0

    def start(self) -> None:
        for work in (self._upwards, self._downwards):
            threading.Thread(target=self._until_closed, args=(work,), daemon=True).start()

    def _until_closed(self, work: Callable[[], None]) -> None:
        with suppress(OSError):
            work()
        for one in (self._client, self._server):
            _reset(one)

    def _downwards(self) -> None:
        data = self._receive(self._server, 4)
        self._manifest = data == _MANIFEST
        self._client.sendall(data)
        self._negotiated.set()
        while data := self._server.recv(65536):
            if self._holding.is_set():
                self._answered.set()
                continue
            if not self._proxy._stalled:
                self._client.sendall(data)

    def _upwards(self) -> None:
        self._server.sendall(self._receive(self._client, 20))
        self._negotiated.wait()
        if self._manifest:
            self._server.sendall(self._receive(self._client, 5))
        while True:
            raw, message = self._message()
            label = self._label(message)
            fault = self._proxy._take(label) if label else None
            if fault is None:
                if not self._proxy._stalled:
                    self._server.sendall(raw)
                continue
            if fault.when == "inside":
                self._server.sendall(raw[: len(raw) // 2])
            elif fault.when == "during":
                self._server.sendall(raw)
                time.sleep(fault.delay)
            elif fault.when == "after":
                self._holding.set()
                self._server.sendall(raw)
                self._answered.wait(10)
            self._proxy._strike(fault)

    def _label(self, message: bytes) -> str | None:
        kind = message[1]
        named = _NAMED.search(message)
        if kind == _HELLO:
            return "connect"
        if kind == _BEGIN:
            self._transaction = named[1].decode() if named else "unnamed"
            self._statements = 0
            return f"{self._transaction} begin"
        if kind == _COMMIT:
            return f"{self._transaction} commit"
        if kind != _RUN:
            return None
        if named:
            return f"{named[1].decode()} alone"
        self._statements += 1
        return f"{self._transaction} statement {self._statements}"

    def _message(self) -> tuple[bytes, bytes]:
        """The next message of the client, as it came in chunks and whole."""
        raw, message = b"", b""
        while True:
            head = self._receive(self._client, 2)
            raw += head
            (size,) = struct.unpack(">H", head)
            if not size and message:
                return raw, message
            part = self._receive(self._client, size)
            raw += part
            message += part

    @staticmethod
    def _receive(source: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = source.recv(size - len(data))
            if not part:
                raise OSError("closed")
            data += part
        return data


def _reset(one: socket.socket) -> None:
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        one.close()


@contextmanager
def proxied(uri: str) -> Iterator[BoltProxy]:
    """A proxy before the server at an address such as bolt://host:port."""
    host, _, port = uri.partition("://")[2].partition(":")
    with BoltProxy(host, int(port or 7687)) as proxy:
        yield proxy
