"""What changes a graph: made, filled, emptied, dropped."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from hipporag_neo4j import schema
from hipporag_neo4j.domain import MetadataValue
from hipporag_neo4j.drop import DropReport, drop_graph
from hipporag_neo4j.filterable import Declaration, declare_filterable
from hipporag_neo4j.filters import FilterType
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
from hipporag_neo4j.indexing.select_passages import select
from hipporag_neo4j.migrate import Migrated, migrate_graph
from hipporag_neo4j.resources import Resources
from hipporag_neo4j.text import Normalisation


class Building(Resources):
    """What changes a graph: made, filled, emptied, dropped."""

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
        return declare_filterable(self.database, self.init(), filterable)

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

    def retry_failed(self, *, progress: Progress | None = None, on_spent: OnSpent | None = None) -> IndexReport:
        """Have the language model read again what it could not read before, from the graph, without the source.

        Raises GraphNotFoundError where there is no graph, and what `index` raises.
        """
        schema.open_graph(self.database, self.namespace)
        reader = self._reader(progress, on_spent)
        return self._indexer(progress, None).retry_failed(reader)

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

    def estimate(self, source: Source, *, on_problem: OnProblem | None = None) -> Estimate:
        """What indexing a source would take: tokens, money, time and room. Nothing is written, and no model is asked.

        Raises what `compare` raises, and ConfigurationError for a price table that is none.
        """
        return estimate(partial(self.compare, source), self.settings, self.database, self.namespace, on_problem)

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

    def set_synonym_threshold(
        self, threshold: float, *, progress: Callable[[int, int], None] | None = None
    ) -> Relinked:
        """Join the phrases whose cosine is at least `threshold`, part all others, and have later runs do the same.

        Nothing is embedded, and readers see the old synonyms or the new ones. Raises InputError for a threshold that is
        none, TooManySynonymsError for one that joins too many phrases, GraphNotFoundError.
        """
        return relink_synonyms(self.database, self.namespace, threshold, progress)

    def drop(
        self, *, schema: bool = False, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> DropReport:
        """Delete everything the namespace holds, and nothing else; with `schema` also the database's indexes.

        In batches; what broke off goes on when it is called again, and until then the graph can't be used. With
        `dry_run` nothing is changed: the report says what is there. `progress` hears how many nodes are deleted, and of
        how many. Without a graph, what clients wrote while an earlier drop ended is `left_over`, and deleted. Needs no
        model. Raises GraphNotFoundError where there is nothing, unless `schema` is wanted, and InputError for `schema`
        while other namespaces hold graphs.
        """
        return drop_graph(self.database, self.namespace, schema=schema, dry_run=dry_run, progress=progress)

    def migrate(self) -> Migrated:
        """Bring a graph that an older version of this package made to the schema version of this one.

        Raises GraphNotFoundError, and SchemaVersionError for a graph that is newer, or older than every migration.
        """
        return migrate_graph(self.database, self.namespace)

    def _indexer(self, progress: Progress | None, on_problem: OnProblem | None) -> Indexer:
        return Indexer(self.database, self.init(), self.embedder, progress or no_progress, on_problem)

    def _reader(self, progress: Progress | None, on_spent: OnSpent | None) -> ModelReader:
        model = self._need_language_model()
        return make_reader(model, self.settings, self.database, self.namespace, progress=progress, on_spent=on_spent)
