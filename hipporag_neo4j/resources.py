"""What HippoRAG works with: the connection, the models, one namespace's graph; made when needed, closed at the end."""

import threading
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hipporag_neo4j import schema
from hipporag_neo4j.answer_cache import GraphAnswerStore
from hipporag_neo4j.connect import open_database
from hipporag_neo4j.database import Database
from hipporag_neo4j.embedding import Embedder, QueryEmbedder, as_embedder, make_embedder
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.indexing.batch_job import BatchJob
from hipporag_neo4j.indexing.batch_store import BatchStore
from hipporag_neo4j.indexing.compare import LookUp
from hipporag_neo4j.indexing.kept_readings import kept_readings
from hipporag_neo4j.llm import IdentifiedModel, LanguageModel, make_language_model
from hipporag_neo4j.llm.batch_api import BatchApi
from hipporag_neo4j.llm.cached_model import CachedModel
from hipporag_neo4j.llm.foreign import InvocableModel, as_language_model
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.settings import Settings, check_namespace, settings_or_default

if TYPE_CHECKING:
    import neo4j

    from hipporag_neo4j.llm.openai_model import OpenAIModel


class Resources:
    """The parts of one namespace. A context manager; `close` it otherwise.

    What isn't given is made from the settings: the connection at once, the models when they are first needed. A driver,
    embedder or language model that was handed in stays open; it may be one of neo4j-graphrag.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        namespace: str | None = None,
        driver: "neo4j.Driver | None" = None,
        embedder: Embedder | QueryEmbedder | None = None,
        language_model: LanguageModel | InvocableModel | None = None,
    ) -> None:
        """Raises ConfigurationError, ServerUnavailableError or AuthenticationError when there is no connection."""
        self.settings = settings_or_default(settings)
        self.namespace = self.settings.namespace if namespace is None else check_namespace(namespace)
        self._embedder = None if embedder is None else as_embedder(embedder)
        self._language_model = None if language_model is None else as_language_model(language_model)
        self._lock = threading.Lock()
        self.database = (
            Database(driver, name=self.settings.neo4j_database, timeout=self.settings.query_timeout)
            if driver is not None
            else open_database(self.settings)
        )
        self._opened = ExitStack()
        self._opened.callback(self.database.close)

    def close(self) -> None:
        """Close what was opened here: the connection and the language model, unless they were handed in."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def embedder(self) -> Embedder:
        """The embedding model; not loaded until it is first asked."""
        with self._lock:
            if self._embedder is None:
                self._embedder = make_embedder(self.settings)
            return self._embedder

    @property
    def language_model(self) -> LanguageModel | None:
        """The language model, None when the settings name none; it answers from the graph what was asked before.

        A model that was handed in does so if it is an IdentifiedModel.
        """
        with self._lock:
            if self._language_model is None and self.settings.llm_model is not None:
                model = self._make_language_model()
                self._opened.callback(model.close)
                self._language_model = model
            if self.settings.llm_cache and isinstance(self._language_model, IdentifiedModel):
                self._language_model = CachedModel(
                    self._language_model, GraphAnswerStore(self.database, self.namespace)
                )
            return self._language_model

    def _make_language_model(self) -> "OpenAIModel":
        return make_language_model(self.settings)

    @property
    def _kept_readings(self) -> LookUp | None:
        """Tells what the language model has read before; None without a language model, or one without kept answers."""
        model = self.language_model
        prompts = self.settings.prompts_dir
        if not isinstance(model, CachedModel):
            return None
        return lambda passages: kept_readings(model, passages, prompts)

    @property
    def _graph(self) -> schema.Graph:
        """The graph as it is now: another client may have dropped or migrated it since the question before."""
        graph = schema.open_graph(self.database, self.namespace)
        self._check(graph)
        return graph

    def _check(self, graph: schema.Graph) -> None:
        schema.check_model(graph, self.embedder.name)  # before a model is loaded to know its dimensions
        schema.check_model(graph, self.embedder.name, self.embedder.dimensions)
        schema.check_normalisation(graph, self.settings.normalisation)

    @property
    def _graph_to_write(self) -> schema.Graph | None:
        """The graph that `init` would find fit for the settings, None where it would make one; no model is loaded."""
        graph = schema.find_graph(self.database, self.namespace)
        if graph is not None:
            schema.check_model(graph, self.embedder.name)
            schema.check_normalisation(graph, self.settings.normalisation)
            schema.check_threshold(graph, self.settings.synonym_threshold)
        return graph

    @property
    def _sources(self) -> BlockingSources:
        return BlockingSources(self.database, self.embedder, lambda: self.language_model, self.settings.prompts_dir)

    def _batch_job(self) -> BatchJob:
        """Raises ConfigurationError where answers aren't kept, or the model isn't the one that the settings name."""
        kept = self._need_language_model()
        if not self.settings.llm_cache:
            raise ConfigurationError(
                "A batch fills the kept answers of the language model, and keeping them is switched off. Leave "
                "--no-cache out, or set HIPPORAG_LLM_CACHE=true."
            )
        if self.settings.index_max_tokens is not None or self.settings.index_max_cost is not None:
            raise ConfigurationError(
                "A batch is sent as a whole and can't stop at a budget. Leave --max-tokens and --max-cost out (unset "
                "HIPPORAG_INDEX_MAX_TOKENS and HIPPORAG_INDEX_MAX_COST); `hipporag-neo4j estimate` says what all of it "
                "takes, and a batch costs half of that at most endpoints."
            )
        api = BatchApi(self.settings, self.settings.llm_model or kept.name)
        self._opened.callback(api.close)
        job = BatchJob.of(BatchStore(self.database, self.namespace), api, self.settings)
        if not isinstance(kept, CachedModel) or kept.keeps_for != job.identity:
            raise ConfigurationError(
                "A batch is sent to the language model that the settings name; another one was handed in, which "
                "wouldn't know its answers. Leave language_model out."
            )
        return job

    def _need_language_model(self) -> LanguageModel:
        """Raises ConfigurationError, which says what is missing, where there is none."""
        return self.language_model or make_language_model(self.settings)
