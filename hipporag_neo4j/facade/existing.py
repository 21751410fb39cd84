"""Questions to a graph that others made and keep."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.embedding import Embedder, QueryEmbedder
from hipporag_neo4j.errors import InputError, NoLanguageModelError
from hipporag_neo4j.existing.check import Check, check
from hipporag_neo4j.existing.graph_file import GraphFile, parse_graph_file, read_graph_file
from hipporag_neo4j.existing.layout import Layout
from hipporag_neo4j.existing.open_layout import open_layout
from hipporag_neo4j.existing.retrieve import (
    check_dimensions,
    dimension_problem,
    drop_projections,
    refuse_filter,
    retrieve_existing,
)
from hipporag_neo4j.explanation import Explanation
from hipporag_neo4j.facade.searching import Searching
from hipporag_neo4j.filters import EVERYTHING, Filter, Where
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.llm.foreign import InvocableModel
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options, options_of
from hipporag_neo4j.settings import Settings, settings_or_default

if TYPE_CHECKING:
    import neo4j


class ExistingGraph(Searching):
    """HippoRAG over nodes and relationships that are there already; nothing is written, no answer of a model kept.

    `graph` is a file that says what they are (docs/existing_graph.md), or what such a file says, as values. A context
    manager; `close` it otherwise.
    """

    def __init__(
        self,
        graph: Path | str | Mapping[str, Any],
        settings: Settings | None = None,
        *,
        driver: "neo4j.Driver | None" = None,
        embedder: Embedder | QueryEmbedder | None = None,
        language_model: LanguageModel | InvocableModel | None = None,
    ) -> None:
        """Raises InputError for a file that can't be used, and what `HippoRAG` raises without a connection."""
        self._place = str(graph) if isinstance(graph, Path | str) else "The graph"
        self._file: GraphFile = (
            read_graph_file(Path(graph)) if isinstance(graph, Path | str) else parse_graph_file(graph, self._place)
        )
        own = settings_or_default(settings).model_copy(update={"llm_cache": False})
        super().__init__(own, driver=driver, embedder=embedder, language_model=language_model)

    @cached_property
    def _layout(self) -> Layout:
        """What the file names, found in the database once. Raises InputError where it isn't there."""
        return finish(open_layout(self._sources, self._file, self._place))

    def check(self, *, samples: int = 3) -> Check:
        """A dry run: what the file finds, what would be projected, which modes work and what others lack.

        Raises InputError for names that the database doesn't have.
        """
        layout = self._layout
        wrong = dimension_problem(layout, self.embedder) if layout.has_vectors else None
        found = finish(check(self._sources, layout, options_of(self.settings), samples=samples))
        return replace(found, problems=(wrong, *found.problems)) if wrong else found

    def refresh(self) -> None:
        """Have what is projected made anew at the next question, though no count has changed."""
        finish(drop_projections(self._sources, Layout.of(self._file)))

    def read_filter(self, where: Where | None) -> Filter:
        """Raises InputError for any filter: metadata isn't declared here."""
        refuse_filter(where)
        return EVERYTHING

    def retrieve(
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
        """The `limit` best passages for a question, as of `HippoRAG.retrieve`.

        A mode that the graph has too little for is carried out with what there is, and `way` says how, or raises
        ConfigurationError that says what is missing. Raises InputError for a filter.
        """
        layout = self._layout
        if mode != "bm25" and layout.has_vectors:
            check_dimensions(layout, self.embedder)
        result = finish(
            retrieve_existing(
                replace(self._sources, fact_filter=fact_filter),
                layout,
                question,
                mode=mode,
                limit=limit,
                entities=entities,
                options=options or options_of(self.settings),
                looks=looks,
                no_llm=no_llm,
                where=where,
            )
        )
        return result.explained_by(self.explain)

    def _need_language_model(self) -> LanguageModel:
        model = self.language_model
        if model is None:
            raise NoLanguageModelError(
                "An answer needs a language model, and none is set. Set HIPPORAG_LLM_MODEL to its name, and "
                "OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own. Without one, find passages: `retrieve "
                "--graph FILE --mode hipporag1 --entity NAME` (graph.retrieve in Python)."
            )
        return model

    def explain(self, result: RetrievalResult, *, strict: bool = True) -> Explanation:
        """Raises InputError: only a graph of this product's own can be explained."""
        raise InputError(
            "Passages of a graph of others can't be explained yet: shares and paths are looked for among this "
            "product's own labels. `hipporag-neo4j existing check FILE --cypher` shows the statements that find them."
        )
