"""Indexing, step by step: leave out what is unchanged, read, gather, embed, write, link synonyms, publish."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import ExtractedPassage, Passage
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.indexing.batches import batches, timed
from hipporag_neo4j.indexing.changed_passages import Changes, identify, identify_extracted
from hipporag_neo4j.indexing.check_passages import OnProblem
from hipporag_neo4j.indexing.failed_passages import failed_passages
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage, gather_batch
from hipporag_neo4j.indexing.index_report import NAMELESS, Given, IndexReport, Progress, no_progress
from hipporag_neo4j.indexing.link_synonyms import link_synonyms
from hipporag_neo4j.indexing.mistyped_metadata import count_mistyped
from hipporag_neo4j.indexing.prune import Prune, delete_rest
from hipporag_neo4j.indexing.publish import publish
from hipporag_neo4j.indexing.read_passages_by_model import ModelReader
from hipporag_neo4j.indexing.record_run import new_run, recorded
from hipporag_neo4j.indexing.take_back import take_back
from hipporag_neo4j.indexing.write_graph import GraphWriter
from hipporag_neo4j.prompts import prompts_hash
from hipporag_neo4j.schema import Graph, open_graph
from hipporag_neo4j.timing import Stages

_EMBEDDED_AT_ONCE = 512
_WRITTEN_AT_ONCE = 200
_WRITTEN_AT_ONCE_FROM_LLM = 32


@dataclass(frozen=True, slots=True)
class Indexer:
    """What indexing works with: a graph that is there, and an embedder that fits it."""

    database: Database
    graph: Graph
    embedder: Embedder
    progress: Progress = no_progress
    on_problem: OnProblem | None = None

    def index(
        self, passages: Iterable[Passage], reader: ModelReader, *, given: Given = NAMELESS, prune: Prune | None = None
    ) -> IndexReport:
        """Have passages read by a language model, and write what changed.

        Parts of one document follow each other; those that it had before and has no more are deleted. Where the
        reader's budget ends first, nothing is deleted: the next run goes on.
        """
        changes = self._changes(given, reader)
        changed = changes.find(identify(passage) for passage in passages)
        return self._write(reader.read(changed, changes.report), changes, prune, at_once=_WRITTEN_AT_ONCE_FROM_LLM)

    def import_extracted(
        self, passages: Iterable[ExtractedPassage], *, given: Given = NAMELESS, prune: Prune | None = None
    ) -> IndexReport:
        """Write passages that were read before, as far as they changed."""
        changes = self._changes(given)
        changed = changes.find(identify_extracted(passage) for passage in passages)
        return self._write(changed, changes, prune, at_once=_WRITTEN_AT_ONCE)

    def retry_failed(self, reader: ModelReader) -> IndexReport:
        """Read the passages again that the language model could not read, from what the graph holds of them.

        One that another client has changed, read or deleted meanwhile stays as that client left it.
        """
        changes = self._changes(Given("what could not be read before"), reader)
        read = reader.read(self._failed(changes.report), changes.report)
        return self._write(read, changes, None, at_once=_WRITTEN_AT_ONCE_FROM_LLM, only_failed=True)

    def _changes(self, given: Given, reader: ModelReader | None = None) -> Changes:
        report = IndexReport(run=new_run(), given=given)
        if reader is not None:
            report.model, report.price = reader.model.name, reader.price
            report.prompts = prompts_hash(reader.prompts_dir)
        began = open_graph(self.database, self.graph.namespace).version
        return Changes(self.database, self.graph.namespace, report, self.on_problem, began=began)

    def _failed(self, report: IndexReport) -> Generator[IdentifiedPassage, None, None]:
        for passage in failed_passages(self.database, self.graph.namespace):
            report.passages += 1
            yield passage

    def _write(
        self,
        passages: Generator[IdentifiedPassage, None, None],
        changes: Changes,
        prune: Prune | None,
        *,
        at_once: int,
        only_failed: bool = False,
    ) -> IndexReport:
        report, namespace = changes.report, self.graph.namespace
        with recorded(self.database, namespace, report) as stages:
            self._write_all(passages, report, stages, at_once, only_failed=only_failed)
            if not report.stopped:
                with stages.time("write"):
                    report.deleted = take_back(self.database, namespace, changes.stale, until=changes.began).passages
                    if prune:
                        report.pruned = delete_rest(self.database, namespace, changes.given, prune, changes.began)
            with stages.time("link"):
                report.synonyms = link_synonyms(
                    self.database, self.graph, lambda done, total: self.progress("synonyms", done, total)
                )
            with stages.time("publish"):
                publish(self.database, namespace)
        return report

    def _write_all(
        self,
        passages: Generator[IdentifiedPassage, None, None],
        report: IndexReport,
        stages: Stages,
        at_once: int,
        *,
        only_failed: bool,
    ) -> None:
        writer = GraphWriter(
            self.database,
            namespace=self.graph.namespace,
            run=report.run,
            embed=lambda texts: self._embed(texts, stages),
            only_failed=only_failed,
        )
        # Closing ends the calls to the language model at once when writing fails.
        with stages.time("write"), closing(passages), writer:
            for some in timed(batches(passages, at_once), stages):
                batch = gather_batch(
                    some, namespace=self.graph.namespace, normalisation=self.graph.normalisation, run=report.run
                )
                writer.write(batch)
                report.count_written(some, sum(row.properties.get("dropped", 0) for row in batch.passages))
                count_mistyped(report.mistyped, some, self.graph.filterable)
                self.progress("passages", report.written + report.failed + report.unchanged, None)
        report.count_overtaken(writer.overtaken)

    def _embed(self, texts: Sequence[str], stages: Stages) -> NDArray[np.float32]:
        ordered = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        matrix = np.empty((len(texts), self.graph.dimensions), dtype=np.float32)
        with stages.time("embed"):
            for begin in range(0, len(ordered), _EMBEDDED_AT_ONCE):
                some = ordered[begin : begin + _EMBEDDED_AT_ONCE]
                matrix[some] = self.embedder.embed([texts[i] for i in some])
                self.progress("texts of this batch", begin + len(some), len(texts))
        return matrix
