"""Questions: passages, and answers read in them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hipporag_neo4j.answering.answer_question import DEFAULT_PASSAGES, OnFound, OnText, answer_from, answer_question
from hipporag_neo4j.answering.retrieve_by_steps import DEFAULT_STEPS, OnStep, retrieve_by_steps
from hipporag_neo4j.answering.sources import BlockingAnswerSources
from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.domain import AnswerResult, Mode, RetrievalResult
from hipporag_neo4j.explaining.explain import explain, explained_graph
from hipporag_neo4j.explanation import Explanation
from hipporag_neo4j.filters import Filter, Where
from hipporag_neo4j.resources import Resources
from hipporag_neo4j.retrieval.allow import read_filter
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options, options_of, retrieve


class Searching(Resources):
    """Questions: passages, and answers read in them."""

    def read_filter(self, where: Where | None) -> Filter:
        """A filter as `retrieve` will take it; without one, that which allows everything. Raises InputError."""
        return read_filter(self._graph, where)

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
        """The `limit` best passages for a question.

        `entities` are the question's named entities; without them the language model finds them (`hipporag1` and
        `hybrid`). `looks`, 1 to 3, is how often `hybrid` looks for facts: each look beyond the first costs a call and a
        walk, and finds more. With `no_llm` the mode `hybrid` asks no language model, and finds less. `where`, such
        as `{"year": {">=": 2020}, "team": "x"}`, is a filter on metadata that was declared with `declare_filterable`:
        the result is what a graph of the allowed passages alone would give. `fact_filter` decides in the language
        model's place which facts bear on the question. `options` go before those of the settings. Raises
        GraphNotFoundError for a namespace without passages, InputError for a question or filter that can't be used, and
        NoLanguageModelError when entities or decisions are needed and there is no language model.
        """
        options = options or options_of(self.settings)
        result = finish(
            retrieve(
                replace(self._sources, fact_filter=fact_filter),
                self._graph,
                question,
                mode=mode,
                limit=limit,
                entities=entities,
                options=replace(options, without_llm=True) if no_llm else options,
                looks=looks,
                where=where,
            )
        )
        return result.explained_by(self.explain)

    def explain(self, result: RetrievalResult, *, strict: bool = True) -> Explanation:
        """Why each passage of a result was found: seeds' shares, paths, other searches' ranks; asks no language model.

        Raises GraphChangedError where the graph was written to since, or else, not `strict`, explains it as it is now
        and says that it is `stale`; GraphMismatchError where the client has another embedding model; InputError for a
        result of several steps.
        """
        self._check(explained_graph(result))
        return finish(explain(self._sources, result, strict=strict))

    def answer(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        passages: int = DEFAULT_PASSAGES,
        entities: Sequence[str] | None = None,
        looks: int = 1,
        steps: int = 1,
        where: Where | None = None,
        fact_filter: FactFilter | None = None,
        on_text: OnText | None = None,
        on_step: OnStep | None = None,
        on_found: OnFound | None = None,
    ) -> AnswerResult:
        """An answer read in the `passages` best passages (1 to 100), and those it rests on; None: they don't hold it.

        `steps` beyond 1 search as `retrieve_by_steps`; the rest as in `retrieve`. `on_text` gets what the model writes,
        as it comes, for people; `on_found` what was found, before it is read. Raises what `retrieve` raises,
        ConfigurationError without a language model, LLMError when it fails, and UnreadableAnswerError when it answers
        twice in no usable form.
        """
        return finish(
            answer_question(
                self._answer_sources(mode, looks, fact_filter, where),
                question,
                passages=passages,
                steps=steps,
                characters=self.settings.reading_characters,
                entities=entities,
                on_text=on_text,
                on_step=on_step,
                on_found=on_found,
            )
        )

    def answer_from(
        self, retrieval: RetrievalResult, *, passages: int = DEFAULT_PASSAGES, on_text: OnText | None = None
    ) -> AnswerResult:
        """As `answer`, read in what was found before."""
        characters = self.settings.reading_characters
        sources = self._answer_sources(retrieval.mode)
        return finish(answer_from(sources, retrieval, passages=passages, characters=characters, on_text=on_text))

    def retrieve_by_steps(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        steps: int = DEFAULT_STEPS,
        limit: int = 10,
        passages: int = DEFAULT_PASSAGES,
        entities: Sequence[str] | None = None,
        looks: int = 1,
        where: Where | None = None,
        fact_filter: FactFilter | None = None,
        on_step: OnStep | None = None,
    ) -> RetrievalResult:
        """The `limit` best passages of at most `steps` (1 to 20) searches in a mode: IRCoT.

        The first search is for the question, each further one for the language model's next thought, after it has read
        the `passages` best so far; an answer ends it. The passages' scores are shares of the best one's in the same
        search; `steps` of the result tells the rest, and `on_step` hears of each. Raises as `answer`.
        """
        return finish(
            retrieve_by_steps(
                self._answer_sources(mode, looks, fact_filter, where),
                question,
                steps=steps,
                limit=limit,
                reading=passages,
                characters=self.settings.reading_characters,
                entities=entities,
                on_step=on_step,
            )
        )

    def _answer_sources(
        self, mode: Mode, looks: int = 1, fact_filter: FactFilter | None = None, where: Where | None = None
    ) -> BlockingAnswerSources:
        search = partial(self.retrieve, mode=mode, looks=looks, where=where, fact_filter=fact_filter)
        return BlockingAnswerSources(search, self._need_language_model(), self.settings.prompts_dir)
