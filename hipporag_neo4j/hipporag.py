"""HippoRAG: index passages, ask questions. Each method hands the parts of `Resources` to the module that does it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hipporag_neo4j import schema
from hipporag_neo4j.answer_cache import KeptAnswers, clear_answers, count_answers
from hipporag_neo4j.answering.answer_question import DEFAULT_PASSAGES, OnFound, OnText, answer_from, answer_question
from hipporag_neo4j.answering.retrieve_by_steps import DEFAULT_STEPS, OnStep, retrieve_by_steps
from hipporag_neo4j.answering.sources import BlockingAnswerSources
from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import AnswerResult, MetadataValue, Mode, RetrievalResult
from hipporag_neo4j.drop import DropReport, drop_graph
from hipporag_neo4j.filterable import Declaration, declare_filterable
from hipporag_neo4j.filters import Filter, FilterType, Where
from hipporag_neo4j.indexing.batch_job import BatchProgress, source_name
from hipporag_neo4j.indexing.batch_store import BatchStore, SentBatch
from hipporag_neo4j.indexing.changed_passages import identify, identify_extracted
from hipporag_neo4j.indexing.check_passages import CountedProblems, OnProblem
from hipporag_neo4j.indexing.compare import Comparison, OnPassage, compare
from hipporag_neo4j.indexing.delete_passages import DeleteReport, delete_passages
from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
from hipporag_neo4j.indexing.estimate import Estimate, estimate
from hipporag_neo4j.indexing.index_report import Given, IndexReport, Progress, no_progress
from hipporag_neo4j.indexing.make_reader import make_reader
from hipporag_neo4j.indexing.open_source import Source, open_source
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.indexing.prune import Prune
from hipporag_neo4j.indexing.read_openie import read_openie
from hipporag_neo4j.indexing.read_passages_by_model import ModelReader, OnSpent
from hipporag_neo4j.indexing.relink_synonyms import Relinked, relink_synonyms
from hipporag_neo4j.indexing.resume_batch import OnProgress, advance_job, source_of
from hipporag_neo4j.indexing.select_passages import select
from hipporag_neo4j.inspection.health import Health, read_health
from hipporag_neo4j.inspection.inspect import inspect
from hipporag_neo4j.migrate import Migrated, migrate_graph
from hipporag_neo4j.resources import Resources
from hipporag_neo4j.retrieval.allow import read_filter
from hipporag_neo4j.retrieval.filter_facts import FactFilter
from hipporag_neo4j.retrieval.retrieve import Options, options_of, retrieve
from hipporag_neo4j.retrieval.sources import finish
from hipporag_neo4j.runs import Run, TotalSpent, list_runs, read_run, total_spent
from hipporag_neo4j.status import Status, read_status
from hipporag_neo4j.text import Normalisation

if TYPE_CHECKING:
    from hipporag_neo4j.evaluation import Decisions, Question
    from hipporag_neo4j.evaluation.tune_synonyms import Tuning


class HippoRAG(Resources):
    """Multi-hop retrieval over passages in Neo4j. A context manager; `close` it otherwise.

    What isn't given is made from the settings: the connection at once, the models when they are first needed. A driver,
    embedder or language model that was handed in stays open. Safe to use from several threads for retrieval.
    """

    def init(self, normalisation: Normalisation | None = None) -> schema.Graph:
        """Make the schema and the namespace's graph, or check that the one that is there fits.

        Raises GraphMismatchError or ForeignDataError where it doesn't.
        """
        if (there := schema.find_graph(self.database, self.namespace)) is not None:
            schema.check_model(there, self.embedder.name)  # before a model is loaded to know its dimensions
        return schema.create_graph(
            self.database,
            self.namespace,
            embedding_model=self.embedder.name,
            dimensions=self.embedder.dimensions,
            normalisation=normalisation or self.settings.normalisation,
            synonym_threshold=self.settings.synonym_threshold,
        )

    def declare_filterable(self, filterable: Mapping[str, FilterType]) -> Declaration:
        """Let questions be filtered by metadata: names with the types of their values, such as `{"year": "int"}`.

        Adds to what was declared before, and makes the graph if there is none. Where names are new to the database, the
        index that filtered questions search is made anew, and they fail until it is filled; others don't notice. Raises
        InputError for names and types that can't be, and what `init` raises.
        """
        declaration = declare_filterable(self.database, self.init(), filterable)
        self._forget_graph()
        return declaration

    def read_filter(self, where: Where | None) -> Filter:
        """A filter as `retrieve` will take it; without one, that which allows everything. Raises InputError."""
        return finish(read_filter(self._sources, self._graph, where))

    def index(
        self,
        source: Source,
        *,
        prune: bool = False,
        force: bool = False,
        progress: Progress | None = None,
        on_problem: OnProblem | None = None,
        on_spent: OnSpent | None = None,
    ) -> IndexReport:
        """Read passages with the language model and add them to the graph; unchanged ones cost nothing.

        `source`: a .jsonl, .json, .txt or .md file, a folder, or Passage objects. Texts longer than
        `settings.passage_size` are split. Passages that can't be used raise InputError, or go to `on_problem`.
        A passage the model can't read is stored with its error; the others go on. At the settings' budget
        (`index_max_tokens`, `index_max_cost`) the run stops, and the report's `left` tells how many passages are for
        the next one; `on_spent` hears what has been spent, as it is.

        With `prune` the namespace's other passages are deleted at the end, unless a passage of the source could not be
        used; an empty source raises InputError then, unless `force` says that it is meant to be empty.
        """
        reader = self._reader(progress, on_spent)
        problems = CountedProblems(on_problem)
        passages = open_source(
            source, size=self.settings.passage_size, on_problem=problems.handler, may_be_empty=prune and force
        )
        return self._indexer(progress, problems.handler).index(
            passages,
            reader,
            given=Given(str(source) if isinstance(source, Path | str) else None, lambda: passages.repeated),
            prune=Prune(lambda: problems.count, force) if prune else None,
        )

    def index_batch(self, source: Source, *, on_problem: OnProblem | None = None) -> BatchProgress:
        """As `index`, through the endpoint's Batch API, at half the price and within a day: send what has to be asked.

        `resume_batch` collects it and writes the graph. Raises InputError while another batch is under way, LLMError
        where the endpoint has no Batch API, and what `index` raises for the source.
        """
        job = self._batch_job()
        self.init()
        passages = open_source(source, size=self.settings.passage_size, on_problem=on_problem)
        return job.begin(passages, source_name(source))

    def advance_batch(
        self, source: Source | None = None, *, wait: bool = False, on_progress: OnProgress | None = None
    ) -> BatchProgress:
        """Collect what the endpoint has answered, and send what comes next: triples after entities, then repeats.

        When nothing is left to ask the state is `ready`, and `resume_batch` writes the graph. Without a `source` it is
        the path that the batch was made from. With `wait` it returns only then. Raises InputError where no batch is
        under way, ConfigurationError where the settings name another model, and LLMError.
        """
        job = self._batch_job()
        return advance_job(job, source_of(job, source), wait=wait, on_progress=on_progress)

    def resume_batch(
        self,
        source: Source | None = None,
        *,
        wait: bool = False,
        prune: bool = False,
        force: bool = False,
        progress: Progress | None = None,
        on_problem: OnProblem | None = None,
        on_spent: OnSpent | None = None,
        on_progress: OnProgress | None = None,
    ) -> BatchProgress:
        """As `advance_batch`; when nothing is left to ask, index the source from the kept answers, as `index` does.

        The result's `report` is then what `index` gives, else None: come back later. What no batch could answer is
        asked by calls of its own.
        """
        job = self._batch_job()
        source = source_of(job, source)
        state = advance_job(job, source, wait=wait, on_progress=on_progress)
        if state.state != "ready":
            return state
        report = self.index(
            source, prune=prune, force=force, progress=progress, on_problem=on_problem, on_spent=on_spent
        )
        job.finish()
        return replace(state, report=report)

    def batches(self, *, look: bool = False) -> Sequence[SentBatch]:
        """All batches that were sent for the namespace, as they were when somebody last looked; oldest first.

        With `look` the endpoint is asked how those under way are now.
        """
        schema.open_graph(self.database, self.namespace)
        if look:
            self._batch_job().look()
        return BatchStore(self.database, self.namespace).read()

    def cancel_batch(self) -> Sequence[SentBatch]:
        """Stop the batch under way. What it has answered by then is billed; `advance_batch` keeps it.

        Raises InputError where none is under way.
        """
        return self._batch_job().cancel()

    def import_openie(
        self,
        path: Path | str,
        *,
        prune: bool = False,
        force: bool = False,
        progress: Progress | None = None,
        on_problem: OnProblem | None = None,
    ) -> IndexReport:
        """Add passages and ready triples from an OpenIE file of the official HippoRAG code; needs no language model.

        `prune` and `force` as in `index`.
        """
        problems = CountedProblems(on_problem)
        extracted = read_openie(Path(path), on_problem=problems.handler, may_be_empty=prune and force)
        distinct = DistinctPassages(extracted, problems.handler)
        return self._indexer(progress, problems.handler).import_extracted(
            distinct,
            given=Given(str(path), lambda: distinct.repeated),
            prune=Prune(lambda: problems.count, force) if prune else None,
        )

    def compare(
        self, source: Source, *, on_problem: OnProblem | None = None, on_passage: OnPassage | None = None
    ) -> Comparison:
        """What `index` would do with a source: which passages are new, changed, failed or unchanged, and what is read.

        Nothing is written, and no model is asked; without a language model in the settings nothing is said of kept
        answers. `on_passage` hears of each passage that would be written. Raises what `index` would raise for the
        source, and GraphMismatchError for a graph that it would refuse.
        """
        passages = open_source(source, size=self.settings.passage_size, on_problem=on_problem)
        return compare(
            self.database,
            self.namespace,
            self._graph_to_write,
            map(identify, passages),
            look_up=self._kept_readings,
            on_problem=on_problem,
            on_passage=on_passage,
        )

    def estimate(self, source: Source, *, on_problem: OnProblem | None = None) -> Estimate:
        """What indexing a source would take: tokens, money, time and room. Nothing is written, and no model is asked.

        Raises what `compare` raises, and ConfigurationError for a price table that is none.
        """
        return estimate(partial(self.compare, source), self.settings, self.database, self.namespace, on_problem)

    def compare_openie(
        self, path: Path | str, *, on_problem: OnProblem | None = None, on_passage: OnPassage | None = None
    ) -> Comparison:
        """What `import_openie` would do with a file; see `compare`."""
        extracted = DistinctPassages(read_openie(Path(path), on_problem=on_problem), on_problem)
        return compare(
            self.database,
            self.namespace,
            self._graph_to_write,
            map(identify_extracted, extracted),
            on_problem=on_problem,
            on_passage=on_passage,
        )

    def retry_failed(self, *, progress: Progress | None = None, on_spent: OnSpent | None = None) -> IndexReport:
        """Have the language model read again what it could not read before, from the graph, without the source.

        Raises GraphNotFoundError where there is no graph, and what `index` raises.
        """
        schema.open_graph(self.database, self.namespace)
        reader = self._reader(progress, on_spent)
        return self._indexer(progress, None).retry_failed(reader)

    def delete(
        self,
        ids: Iterable[str] | None = None,
        *,
        document: str | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        dry_run: bool = False,
    ) -> DeleteReport:
        """Delete passages: those with `ids`, those of a `document`, or those whose metadata has all values of `where`.

        One of the three is given. All parts of a long text go together: its id, or that of a part, means all of them.
        Facts, phrases and synonyms that only these passages brought go with them. Ids that name nothing are in the
        report's `unknown`. With `dry_run` nothing is changed. Needs no model. Raises InputError for metadata that no
        passage has, or when not exactly one of the three is given, and GraphNotFoundError.
        """
        graph = schema.open_graph(self.database, self.namespace)
        chosen = select(self.database, self.namespace, ids=ids, document=document, where=where)
        return delete_passages(self.database, graph, chosen, dry_run=dry_run)

    def drop(
        self, *, schema: bool = False, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> DropReport:
        """Delete everything the namespace holds, and nothing else; with `schema` also the database's indexes.

        In batches; what broke off goes on when it is called again, and until then the graph can't be used. With
        `dry_run` nothing is changed: the report says what is there. `progress` hears how many nodes are deleted, and of
        how many. Needs no model. Raises GraphNotFoundError unless `schema` is wanted, and InputError for `schema` while
        other namespaces hold graphs.
        """
        return drop_graph(self.database, self.namespace, schema=schema, dry_run=dry_run, progress=progress)

    def migrate(self) -> Migrated:
        """Bring a graph that an older version of this package made to the schema version of this one.

        Raises GraphNotFoundError, and SchemaVersionError for a graph that is newer, or older than every migration.
        """
        return migrate_graph(self.database, self.namespace)

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
        return finish(
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

    def tune_synonyms(
        self,
        thresholds: Sequence[float],
        *,
        samples: int = 5,
        questions: "Sequence[Question]" = (),
        modes: Sequence[Mode] = ("hybrid",),
        decisions: "Decisions | None" = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> "Tuning":
        """What each synonym threshold would join, and with questions what would be found in each mode.

        Nothing is embedded anew but the questions, and nothing is written. Raises InputError for thresholds that are
        none, GraphNotFoundError for a graph without phrases, and with questions what `evaluation.run` raises.
        """
        from hipporag_neo4j.evaluation.tune_synonyms import RecallTest, tune_synonyms

        test = None
        if questions:
            test = RecallTest(questions, modes, decisions, self._graph, self._sources, options_of(self.settings))
        return tune_synonyms(self.database, self.namespace, thresholds, samples=samples, test=test, progress=progress)

    def set_synonym_threshold(
        self, threshold: float, *, progress: Callable[[int, int], None] | None = None
    ) -> Relinked:
        """Join the phrases whose cosine is at least `threshold`, part all others, and have later runs do the same.

        Nothing is embedded, and readers see the old synonyms or the new ones. Raises InputError for a threshold that is
        none, TooManySynonymsError for one that joins too many phrases, GraphNotFoundError.
        """
        return relink_synonyms(self.database, self.namespace, threshold, progress)

    def status(self) -> Status:
        """What the namespace's graph holds. Raises GraphNotFoundError where there is none."""
        return read_status(self.database, schema.open_graph(self.database, self.namespace))

    def runs(self, limit: int = 20) -> Sequence[Run]:
        """The latest `limit` runs that wrote, the last one first. Raises GraphNotFoundError."""
        schema.open_graph(self.database, self.namespace)
        return list_runs(self.database, self.namespace, limit)

    def run(self, run: str) -> Run:
        """The report of one run, by its id or the beginning of it. Raises InputError unless there is exactly one."""
        return read_run(self.database, self.namespace, run)

    def spent(self) -> Sequence[TotalSpent]:
        """What all runs together have spent, by language model and currency."""
        return total_spent(self.database, self.namespace)

    def health(self) -> Health:
        """How well the passages became a graph, without gold answers: measures with verdicts, and what each run gave.

        Raises GraphNotFoundError where there is no graph, or no passage.
        """
        graph = schema.open_graph(self.database, self.namespace)
        return read_health(self.database, graph, options_of(self.settings).weights)

    def inspect(self, name: str, /, **parameters: object) -> list[Row]:
        """The rows of an inspection: `inspect("facts-of-phrase", phrase="Oda Merrin")`; docs/cypher.md has them all.

        Names of phrases are normalised as the graph's are; paths come as `inspection.plain.Path`. Only reads. Raises
        InputError for a name that is none, parameters that it doesn't take or that are missing, and a phrase or passage
        that isn't there, with the nearest ones; GraphNotFoundError.
        """
        return inspect(self.database, self.namespace, name, parameters)

    def graphs(self) -> Sequence[schema.Listed]:
        """Every namespace's graph in the database, by name; also those that this version can't open."""
        return schema.list_graphs(self.database)

    def kept_answers(self) -> Sequence[KeptAnswers]:
        """How many of the language model's answers are kept, by model and kind. Raises GraphNotFoundError."""
        schema.open_graph(self.database, self.namespace)
        return count_answers(self.database, self.namespace)

    def clear_answers(self, before: datetime) -> int:
        """Forget the answers that have been kept since before a time (with a time zone); how many they were."""
        return clear_answers(self.database, self.namespace, before)

    def _answer_sources(
        self, mode: Mode, looks: int = 1, fact_filter: FactFilter | None = None, where: Where | None = None
    ) -> BlockingAnswerSources:
        search = partial(self.retrieve, mode=mode, looks=looks, where=where, fact_filter=fact_filter)
        return BlockingAnswerSources(search, self._need_language_model(), self.settings.prompts_dir)

    def _indexer(self, progress: Progress | None, on_problem: OnProblem | None) -> Indexer:
        return Indexer(self.database, self.init(), self.embedder, progress or no_progress, on_problem)

    def _reader(self, progress: Progress | None, on_spent: OnSpent | None) -> ModelReader:
        model = self._need_language_model()
        return make_reader(model, self.settings, self.database, self.namespace, progress=progress, on_spent=on_spent)
