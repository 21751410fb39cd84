"""Indexing through an endpoint's Batch API."""

from collections.abc import Sequence
from dataclasses import replace

from hipporag_neo4j import schema
from hipporag_neo4j.facade.building import Building
from hipporag_neo4j.indexing.batch_job import BatchProgress, source_name
from hipporag_neo4j.indexing.batch_store import BatchStore, SentBatch
from hipporag_neo4j.indexing.check_passages import OnProblem
from hipporag_neo4j.indexing.index_report import Progress
from hipporag_neo4j.indexing.open_source import Source, open_source
from hipporag_neo4j.indexing.read_passages_by_model import OnSpent
from hipporag_neo4j.indexing.resume_batch import OnProgress, advance_job, source_of


class Batching(Building):
    """Indexing through an endpoint's Batch API."""

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
        job.finish(state, report.run)
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
        """Stop the batch under way. What it has answered by then is billed, and kept: by `advance_batch`, if it has to
        be waited for.

        Raises InputError where none is under way.
        """
        return self._batch_job().cancel()
