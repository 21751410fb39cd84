"""Fetching jars from a real HTTP server: whole, cut off, changed, absent, and with no room for them."""

import errno
import gc
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server import fetch as fetching
from hipporag_neo4j.local_server.fetch import fetch, find_missing
from hipporag_neo4j.local_server.jars import Jar
from hipporag_neo4j.local_server.progress import Progress
from tests.unit.local_server.conftest import Repository

# jgo leaves an answer that it can't use to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture(autouse=True)
def _collect_garbage() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def _little_space_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SPARE_BYTES", 0)


def leftovers(folder: Path) -> list[Path]:
    return list(folder.glob("partial-*"))


def test_all_are_fetched_side_by_side_and_counted(repository: Repository, tmp_path: Path) -> None:
    jars = [repository.add(f"jar{number}", bytes([number]) * 10_000) for number in range(40)]
    seen: list[Progress] = []
    assert fetch(jars, tmp_path, repository=repository.address, on_progress=seen.append) == jars
    assert find_missing(jars, tmp_path) == []
    fetched = [progress for progress in seen if progress.stage == "fetch"]
    assert fetched[-1] == Progress("fetch", 400_000, 400_000)
    assert [p.done for p in fetched] == sorted(p.done for p in fetched)
    assert leftovers(tmp_path) == []


def test_whole_jars_are_not_fetched_again(repository: Repository, tmp_path: Path) -> None:
    jars = [repository.add("one", b"1" * 100), repository.add("two", b"2" * 100)]
    fetch(jars[:1], tmp_path, repository=repository.address)
    assert fetch(jars, tmp_path, repository=repository.address) == jars[1:]
    assert fetch(jars, tmp_path, repository=repository.address) == []
    assert repository.requests["one-1.0.jar"] == repository.requests["two-1.0.jar"] == 1


@pytest.mark.parametrize("damage", [b"", b"1" * 50, b"1" * 99 + b"0", b"1" * 101])
def test_a_damaged_jar_is_fetched_again(repository: Repository, tmp_path: Path, damage: bytes) -> None:
    jars = [repository.add("one", b"1" * 100), repository.add("two", b"2" * 100)]
    fetch(jars, tmp_path, repository=repository.address)
    (tmp_path / jars[0].place).write_bytes(damage)
    assert fetch(jars, tmp_path, repository=repository.address) == jars[:1]
    assert (tmp_path / jars[0].place).read_bytes() == b"1" * 100


def test_what_a_killed_run_left_is_removed(repository: Repository, tmp_path: Path) -> None:
    half = tmp_path / "partial-killed" / "org" / "one-1.0.jar"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"1" * 50)
    fetch([repository.add("one", b"1" * 100)], tmp_path, repository=repository.address)
    assert leftovers(tmp_path) == []


def test_an_answer_that_breaks_off_is_asked_for_again(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("one", b"1" * 100_000)
    repository.cut[jar.filename] = 1
    seen: list[Progress] = []
    assert fetch([jar], tmp_path, repository=repository.address, on_progress=seen.append) == [jar]
    assert repository.requests[jar.filename] == 2
    assert seen[-1].done == 100_000


def test_a_changed_jar_never_gets_into_place(repository: Repository, tmp_path: Path) -> None:
    jar = repository.add("one", b"1" * 100)
    repository.files[jar.filename] = b"0" * 100
    with pytest.raises(
        LocalServerError, match=r"org.example:one:1.0 arrived damaged 3 times.*HIPPORAG_MAVEN_REPOSITORY"
    ):
        fetch([jar], tmp_path, repository=repository.address)
    assert not (tmp_path / jar.place).exists()
    assert leftovers(tmp_path) == []


def test_an_absent_jar_is_named_and_the_others_are_kept(repository: Repository, tmp_path: Path) -> None:
    there = repository.add("there", b"1" * 100)
    fetch([there], tmp_path, repository=repository.address)
    absent = Jar("org.example", "absent", "1.0", "", 100, "00" * 32)
    with pytest.raises(LocalServerError, match=r"org.example:absent:1.0 can't be fetched"):
        fetch([there, absent], tmp_path, repository=repository.address)
    assert find_missing([there, absent], tmp_path) == [absent]


def test_no_network_is_said(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        jar = Jar("org.example", "one", "1.0", "", 100, "00" * 32)
        with pytest.raises(LocalServerError, match=r"Is there a network.*run the command again"):
            fetch([jar], tmp_path, repository=address)


def test_too_little_space_is_said_before_anything_is_fetched(repository: Repository, small_disk: Path) -> None:
    jar = repository.add("large", b"1" * 5_000_000)
    with pytest.raises(LocalServerError, match=r"need 5 MB in .*disk.*free.*HIPPORAG_CACHE_DIR"):
        fetch([jar], small_disk, repository=repository.address)
    assert repository.requests == {}


def test_a_disk_that_fills_up_is_said_and_left_clean(repository: Repository, small_disk: Path) -> None:
    good = repository.add("good", b"1" * 100)
    fetch([good], small_disk, repository=repository.address)
    pinned = Jar("org.example", "large", "1.0", "", 1000, "00" * 32)
    repository.files[pinned.filename] = b"1" * 5_000_000  # far more than its pin says
    with pytest.raises(LocalServerError, match=r"The disk is full.*HIPPORAG_CACHE_DIR") as caught:
        fetch([good, pinned], small_disk, repository=repository.address)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert leftovers(small_disk) == []
    assert find_missing([good], small_disk) == []


def test_two_fetches_at_once_fetch_each_jar_once(repository: Repository, tmp_path: Path) -> None:
    jars = [repository.add(f"jar{number}", bytes([number]) * 10_000) for number in range(20)]
    fetched: list[list[Jar]] = []

    def run() -> None:
        fetched.append(fetch(jars, tmp_path, repository=repository.address))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(len, fetched)) == [0, 20]
    assert max(repository.requests[jar.filename] for jar in jars) == 1


def test_a_folder_that_is_a_file_is_said(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalServerError, match="Make that folder writable"):
        fetch([repository.add("one", b"1")], tmp_path / "file" / "jars", repository=repository.address)
