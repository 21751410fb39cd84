"""A disk that is full while a graph is written: the error says so, and with space again the run goes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipporag_neo4j.errors import DatabaseError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import pipeline
from hipporag_neo4j.schema import DEFAULT_SYNONYM_THRESHOLD
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, assert_same, expected_content, passage, read_content, write
from tests.own_server import OwnServer
from tests.servers import open_driver

MEGABYTES = 600
LEFT = 300_000
"""Bytes that are left on the disk when writing begins: less than the graph takes."""
PASSAGES = [
    passage(f"p{number}", *((f"harbour {number} {i}", "near", f"old mill {number} {i}") for i in range(3)))
    for number in range(100)
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, which may be filled."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can mount a disk of limited size, and only on Linux is it done here")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no disk of limited size can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # the server may still be ending


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_full_disk(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_WRITTEN_AT_ONCE", 10)
    own = OwnServer(disk / "server")
    ballast = disk / "ballast"
    try:
        own.start()
        with HippoRAG(own.settings("test_full"), embedder=HashEmbedder(DIMENSIONS)) as rag:
            write(rag, PASSAGES[:20])
            free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, free - LEFT)
            with pytest.raises(
                DatabaseError, match=r"full disk is the usual reason\. Free space.*what was written stays"
            ):
                write(rag, PASSAGES)
        own.kill()
        ballast.unlink()
        own.start()
        with HippoRAG(own.settings("test_full"), embedder=HashEmbedder(DIMENSIONS)) as rag:
            between = rag.status()
            assert 20 <= between.passages < len(PASSAGES)
            assert between.passages % 10 == 0
            report = write(rag, PASSAGES)
            assert (report.unchanged, report.written) == (between.passages, len(PASSAGES) - between.passages)
            assert not rag.status().interrupted
        with open_driver(own.address) as driver:
            found = read_content(driver, own.address, "test_full")
        threshold = DEFAULT_SYNONYM_THRESHOLD
        assert_same(
            found, expected_content(PASSAGES, HashEmbedder(DIMENSIONS), normalisation="unicode", threshold=threshold)
        )
    finally:
        own.stop()
