"""Questions on an event loop: the asynchronous driver, the asynchronous model client, and threads for the rest."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from hipporag_neo4j import schema
from hipporag_neo4j.coroutines import ON_LOOP, Interruptible, Stopped, until_done
from hipporag_neo4j.database import AsyncDatabase
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.embedding import Embedder, QueryEmbedder
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.explaining.explain import explain, explained_graph
from hipporag_neo4j.explanation import Explanation
from hipporag_neo4j.facade.batching import Batching
from hipporag_neo4j.facade.looking import Looking
from hipporag_neo4j.facade.searching import Searching
from hipporag_neo4j.filters import Where
from hipporag_neo4j.llm import LanguageModel, make_language_model
from hipporag_neo4j.llm.foreign import InvocableModel
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options, options_of, retrieve
from hipporag_neo4j.retrieval.sources import AsyncSources
from hipporag_neo4j.settings import Settings, check_namespace, settings_or_default

if TYPE_CHECKING:
    import neo4j

    from hipporag_neo4j.llm.openai_model import OpenAIModel

P = ParamSpec("P")
ResultT = TypeVar("ResultT")
_THREADS = 64


class _Client(Batching, Searching, Looking):
    """What is asked in threads; its language model is asked on the event loop, for which these threads wait."""

    loop: asyncio.AbstractEventLoop | None = None
    explain_on_loop: Callable[..., Coroutine[Any, Any, Explanation]]

    def explain(self, result: RetrievalResult, *, strict: bool = True) -> Any:
        """What was found in a thread is explained on the event loop, too: to be awaited."""
        return self.explain_on_loop(result, strict=strict)

    def _make_language_model(self) -> "OpenAIModel":
        from hipporag_neo4j.llm.transport import LoopTransport

        loop = self.loop
        assert loop is not None, "set as soon as it is made"
        return make_language_model(self.settings, lambda endpoint: LoopTransport(endpoint, loop, Interruptible.current))


def _in_thread(
    method: Callable[Concatenate[_Client, P], ResultT],
) -> "Callable[Concatenate[AsyncHippoRAG, P], Coroutine[Any, Any, ResultT]]":
    @wraps(method)
    async def call(self: "AsyncHippoRAG", /, *args: P.args, **kwargs: P.kwargs) -> ResultT:
        async with self._under_way() as (client, _):
            return await self._call(lambda: method(client, *args, **kwargs))

    return call


def _stoppable(
    method: Callable[Concatenate[_Client, P], ResultT],
) -> "Callable[Concatenate[AsyncHippoRAG, P], Coroutine[Any, Any, ResultT]]":
    """As `_in_thread`, for a run that tells of its progress: cancelled, it stops there, and the next one goes on."""

    @wraps(method)
    async def call(self: "AsyncHippoRAG", /, *args: P.args, **kwargs: P.kwargs) -> ResultT:
        stop = threading.Event()
        hear: Any = kwargs.get("progress")

        def progress(*values: object) -> None:
            if stop.is_set():
                raise Stopped
            if hear is not None:
                hear(*values)

        kwargs["progress"] = progress
        async with self._under_way() as (client, _):
            running = asyncio.ensure_future(self._call(lambda: method(client, *args, **kwargs)))
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                stop.set()
                await until_done(running)
                raise

    return call


class AsyncHippoRAG:
    """HippoRAG for an event loop: `async with AsyncHippoRAG() as rag: await rag.retrieve("Who …?")`.

    `retrieve` and `explain` run their statements on the asynchronous driver, and the language model that the settings
    name is asked by `openai.AsyncOpenAI`. Everything else is done in threads with a blocking connection of their own.
    Callbacks are called in those threads. What is made is made at the first call, from the settings; what was handed in
    stays open, and an embedder or language model that was is asked by several threads at once. For one event loop;
    ConfigurationError is raised on another one, and after `close`.

    A search that is cancelled ends its statement on the server, and what it had begun to project is ended first.
    `index`, `import_openie`, `retry_failed` and `drop` stop after the batch or the passage under way; the next run goes
    on from there. Other calls break off their request to the language model. What else runs in a thread, such as an
    embedding or a model that was handed in, goes on to its end; `close` waits for it.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        namespace: str | None = None,
        driver: "neo4j.AsyncDriver | None" = None,
        blocking_driver: "neo4j.Driver | None" = None,
        embedder: Embedder | QueryEmbedder | None = None,
        language_model: LanguageModel | InvocableModel | None = None,
    ) -> None:
        """`driver` is for what waits on the loop, `blocking_driver` for what runs in threads, to the same server."""
        self.settings = settings_or_default(settings)
        self.namespace = self.settings.namespace if namespace is None else check_namespace(namespace)
        self._driver = driver
        self._make = lambda: _Client(
            self.settings,
            namespace=self.namespace,
            driver=blocking_driver,
            embedder=embedder,
            language_model=language_model,
        )
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="hipporag")
        self._opening = asyncio.Lock()
        self._opened: tuple[_Client, AsyncDatabase] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._calls: list[asyncio.Task[Any]] = []
        self._idle = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            async with self._under_way():
                return self
        except BaseException:
            await self.close()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and not issubclass(kind, Exception):
            self._cancel_calls()
        await self.close()

    async def close(self) -> None:
        """Wait for the calls under way, and close what was opened here; calls that come later are refused.

        Cancelled, it cancels them, and waits until they have ended; so does the end of `async with` where that is
        cancelled, as at Ctrl-C. Where the event loop has ended before, the rest of the client is closed.
        """
        if self._loop is not None and self._loop.is_closed():
            self._closed = True
            await asyncio.to_thread(self._close_threads)
            return
        self._check_loop()
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            self._cancel_calls()
            await until_done(closing)
            raise

    async def retrieve(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        limit: int = 10,
        entities: Sequence[str] | None = None,
        looks: int = 1,
        no_llm: bool = False,
        where: Where | None = None,
        fact_filter: FactFilter | None = None,
        options: Options | None = None,
    ) -> RetrievalResult:
        """As `HippoRAG.retrieve`; `fact_filter` is called in a thread."""
        async with self._under_way() as (client, database):
            blocking = await self._call(lambda: replace(client._sources, fact_filter=fact_filter))
            rows = await database.run("schema/find_graph", namespace=client.namespace)
            graph = schema.graph_in(rows, client.namespace)
            await self._call(lambda: client._check(graph))
            options = options or options_of(self.settings)
            result = await retrieve(
                AsyncSources(database, blocking, self._call),
                graph,
                question,
                mode=mode,
                limit=limit,
                entities=entities,
                options=replace(options, without_llm=True) if no_llm else options,
                looks=looks,
                where=where,
            )
        return result.explained_by(self.explain)

    async def explain(self, result: RetrievalResult, *, strict: bool = True) -> Explanation:
        """As `HippoRAG.explain`; so does `await result.explain()`."""
        async with self._under_way() as (client, database):
            graph = explained_graph(result)
            await self._call(lambda: client._check(graph))
            blocking = await self._call(lambda: client._sources)
            return await explain(AsyncSources(database, blocking, self._call), result, strict=strict)

    answer = _in_thread(_Client.answer)
    answer_from = _in_thread(_Client.answer_from)
    retrieve_by_steps = _in_thread(_Client.retrieve_by_steps)
    read_filter = _in_thread(_Client.read_filter)
    init = _in_thread(_Client.init)
    index = _stoppable(_Client.index)
    import_openie = _stoppable(_Client.import_openie)
    retry_failed = _stoppable(_Client.retry_failed)
    delete = _in_thread(_Client.delete)
    drop = _stoppable(_Client.drop)
    migrate = _in_thread(_Client.migrate)
    declare_filterable = _in_thread(_Client.declare_filterable)
    set_synonym_threshold = _in_thread(_Client.set_synonym_threshold)
    estimate = _in_thread(_Client.estimate)
    compare = _in_thread(_Client.compare)
    compare_openie = _in_thread(_Client.compare_openie)
    index_batch = _in_thread(_Client.index_batch)
    advance_batch = _in_thread(_Client.advance_batch)
    resume_batch = _in_thread(_Client.resume_batch)
    batches = _in_thread(_Client.batches)
    cancel_batch = _in_thread(_Client.cancel_batch)
    spent = _in_thread(_Client.spent)
    graphs = _in_thread(_Client.graphs)
    kept_answers = _in_thread(_Client.kept_answers)
    clear_answers = _in_thread(_Client.clear_answers)
    tune_synonyms = _in_thread(_Client.tune_synonyms)
    status = _in_thread(_Client.status)
    runs = _in_thread(_Client.runs)
    run = _in_thread(_Client.run)
    health = _in_thread(_Client.health)
    inspect = _in_thread(_Client.inspect)

    @asynccontextmanager
    async def _under_way(self) -> AsyncIterator[tuple[_Client, AsyncDatabase]]:
        """Around a call, for which `close` waits: what it works with."""
        self._check_loop()
        if self._closed:
            raise ConfigurationError("The AsyncHippoRAG was closed. Make a new one.")
        call = asyncio.current_task()
        assert call is not None, "coroutines run in tasks"
        self._calls.append(call)
        try:
            yield await self._open()
        finally:
            self._calls.remove(call)
            if not self._calls:
                self._idle.set()

    def _check_loop(self) -> None:
        """Raises ConfigurationError on another event loop than that of the first call."""
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        if loop is not self._loop:
            raise ConfigurationError(
                "The AsyncHippoRAG was used on another event loop, which its connections belong to. Make one for each "
                "loop, and close it there."
            )

    async def _open(self) -> tuple[_Client, AsyncDatabase]:
        async with self._opening:
            if self._opened is not None:
                return self._opened
            return await ON_LOOP.whole(self._connect())

    async def _connect(self) -> tuple[_Client, AsyncDatabase]:
        client = await self._call(self._make)
        client.loop, client.explain_on_loop = self._loop, self.explain
        try:
            database = await client.database.beside(self._driver)
        except BaseException:
            await self._call(client.close)
            raise
        opened = client, database
        self._opened = opened
        return opened

    def _cancel_calls(self) -> None:
        for call in tuple(self._calls):
            call.cancel()

    async def _close(self) -> None:
        self._closed = True
        while self._calls:
            self._idle.clear()
            await self._idle.wait()
        async with self._opening:
            await asyncio.to_thread(self._threads.shutdown)
            if self._opened is None:
                return
            try:
                await self._opened[1].close()
            finally:
                await asyncio.to_thread(self._close_threads)

    def _close_threads(self) -> None:
        self._threads.shutdown()
        opened, self._opened = self._opened, None
        if opened is not None:
            opened[0].close()

    async def _call(self, work: Callable[[], ResultT]) -> ResultT:
        job = Interruptible()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, job.run, work)
        except asyncio.CancelledError:
            job.stop()
            raise
