"""A small Maven repository on this machine that can misbehave, and a small disk."""

import hashlib
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hipporag_neo4j.local_server.jars import Jar


@dataclass
class Repository:
    """What it serves by file name; `cut` names files whose first answers end in the middle, and how many answers."""

    files: dict[str, bytes] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    address: str = ""

    def add(self, artifact: str, content: bytes) -> Jar:
        """Serves a jar and returns its pin."""
        digest = hashlib.sha256(content).hexdigest()
        jar = Jar("org.example", artifact, "1.0", "", len(content), digest)
        self.files[jar.filename] = content
        return jar


@pytest.fixture
def repository() -> Iterator[Repository]:
    served = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            served.requests[name] += 1
            content = served.files.get(name)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if served.cut.get(name, 0) > 0:
                served.cut[name] -= 1
                content = content[: len(content) // 2]
            with suppress(ConnectionError):  # a client out of space hangs up
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield served
        server.shutdown()
        thread.join()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs a machine that lets root mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
