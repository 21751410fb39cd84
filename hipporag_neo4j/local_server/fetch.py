"""Are all jars here and whole? Fetches what is not."""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.jars import Jar
from hipporag_neo4j.local_server.progress import OnProgress, Progress, Stage, ignore
from hipporag_neo4j.local_server.trouble import explained, require_space

THREADS = 16
ATTEMPTS = 3
SPARE_BYTES = 16_000_000
"""Left free beside the jars."""
_SETTING = "HIPPORAG_CACHE_DIR"


def is_whole(jar: Jar, path: Path) -> bool:
    """Whether the file at `path` is the pinned jar, to the last byte."""
    try:
        if path.stat().st_size != jar.size:
            return False
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def find_missing(jars: Sequence[Jar], folder: Path, on_progress: OnProgress = ignore) -> list[Jar]:
    """The jars that are absent from `folder` or damaged there. Reads every file: about half a second for 186 MB."""
    counter = _Counter("verify", sum(jar.size for jar in jars), on_progress)

    def check(jar: Jar) -> bool:
        whole = is_whole(jar, folder / jar.place)
        counter.add(jar.size)
        return whole

    with ThreadPoolExecutor(4) as pool:
        return [jar for jar, whole in zip(jars, pool.map(check, jars), strict=True) if not whole]


def fetch(
    jars: Sequence[Jar], folder: Path, *, repository: str | None = None, on_progress: OnProgress = ignore
) -> list[Jar]:
    """Makes `folder` hold every jar, whole, and returns those that had to be fetched.

    A jar is written under a temporary name and moved into place once its checksum is right, so an interrupted run goes
    on where it stopped. `repository` is the address of a Maven repository; Maven Central unless given. Two processes
    that share the folder wait for each other. Raises LocalServerError: no space, no network, a wrong checksum.
    """
    from filelock import FileLock

    with explained(folder, "the jars of the local server", _SETTING):
        for name in ("lib", "plugins"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            missing = find_missing(jars, folder, on_progress)
            if missing:
                needed = sum(jar.size for jar in missing) + SPARE_BYTES
                require_space(folder, needed, "the jars of the local server", _SETTING)
                _download_all(missing, folder, repository, on_progress)
    return missing


def _download_all(jars: Sequence[Jar], folder: Path, repository: str | None, on_progress: OnProgress) -> None:
    _remove_leftovers(folder)
    counter = _Counter("fetch", sum(jar.size for jar in jars), on_progress)
    stop = threading.Event()
    with TemporaryDirectory(prefix="partial-", dir=folder) as name, ThreadPoolExecutor(THREADS) as pool:
        download = _make_download(Path(name), repository, counter)
        futures = [pool.submit(_download_one, jar, folder, download, counter, stop) for jar in jars]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _remove_leftovers(folder: Path) -> None:
    """Removes what a killed run left behind; the lock is held, so nobody is still writing there."""
    for leftover in folder.glob("partial-*"):
        shutil.rmtree(leftover)


def _make_download(staging: Path, repository: str | None, counter: "_Counter") -> Callable[[Jar], Path]:
    """A function that brings a jar, unverified, into `staging` (laid out like a Maven cache)."""
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(
        resolver=PythonResolver(progress_callback=counter.counted),
        repo_cache=staging,
        remote_repos=None if repository is None else {"given": repository.rstrip("/")},
        timeout=30,
    )

    def download(jar: Jar) -> Path:
        component = context.project(jar.group, jar.artifact).at_version(jar.version)
        artifact = component.artifact(classifier=jar.classifier, packaging="jar")
        if artifact.cached_path is not None:
            artifact.cached_path.unlink(missing_ok=True)
        return Path(artifact.resolve())

    return download


def _download_one(
    jar: Jar, folder: Path, download: Callable[[Jar], Path], counter: "_Counter", stop: threading.Event
) -> None:
    from requests import RequestException
    from requests.exceptions import SSLError

    problem: Exception | None = None
    for attempt in range(ATTEMPTS):
        if stop.wait(attempt * 1.0):
            return
        try:
            path = download(jar)
        except RequestException as error:
            problem = error
        except RuntimeError as error:  # jgo's word for every answer that is not 200
            problem = error
        else:
            if is_whole(jar, path):
                path.replace(folder / jar.place)
                return
            size = path.stat().st_size
            counter.add(-size)
            problem = LocalServerError(
                f"{jar.coordinate} arrived damaged {attempt + 1} times: {size} bytes, not the {jar.size} bytes with "
                f"sha256 {jar.sha256} that were expected. Something between here and the repository changes or cuts "
                "files: try again, or set HIPPORAG_MAVEN_REPOSITORY to another repository."
            )
    if isinstance(problem, LocalServerError):
        raise problem
    advice = (
        "If a proxy of your network signs HTTPS anew, name the file with its certificate in REQUESTS_CA_BUNDLE."
        if isinstance(problem, SSLError)
        else "Is there a network, and does it let Maven through (HTTPS_PROXY; HIPPORAG_MAVEN_REPOSITORY for a mirror)?"
    )
    raise LocalServerError(
        f"{jar.coordinate} can't be fetched: {_first_line(problem)}. {advice} Jars already fetched are kept: run the "
        "command again."
    ) from problem


def _first_line(problem: Exception | None) -> str:
    text = str(problem).strip() or type(problem).__name__
    return text.splitlines()[0][:300].rstrip(".")


class _Counter:
    """Bytes so far, counted by many threads, reported one at a time."""

    def __init__(self, stage: Stage, total: int, on_progress: OnProgress) -> None:
        self._stage = stage
        self._total = total
        self._on_progress = on_progress
        self._done = 0
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            self._on_progress(Progress(self._stage, self._done, self._total))

    def counted(self, _filename: str, _total: int) -> AbstractContextManager[Callable[[int], None]]:
        """The form jgo wants: a context that yields a function to be told of each piece that arrived."""
        return self._counted()

    @contextmanager
    def _counted(self) -> Iterator[Callable[[int], None]]:
        received = 0

        def update(count: int) -> None:
            nonlocal received
            received += count
            self.add(count)

        try:
            yield update
        except BaseException:
            self.add(-received)
            raise
