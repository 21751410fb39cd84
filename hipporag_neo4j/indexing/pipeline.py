"""Indexing, step by step: leave out what is unchanged, read, gather, embed, write, link synonyms, publish."""

import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database, Transaction
from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.errors import HippoRAGError
from hipporag_neo4j.indexing.check_passages import content_hash, passage_id
from hipporag_neo4j.indexing.extract_triples import extract
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage, gather_batch
from hipporag_neo4j.indexing.link_synonyms import link_synonyms
from hipporag_neo4j.indexing.write_graph import GraphWriter
from hipporag_neo4j.keys import passage_key
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.text import content_key
from hipporag_neo4j.timing import Stages

ItemT = TypeVar("ItemT")

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and of how much (None where unknown)."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


_LOOKUP = 500
_INDEX_WAIT = 3600
_EMBEDDED_AT_ONCE = 512
_WRITTEN_AT_ONCE = 200
_WRITTEN_AT_ONCE_FROM_LLM = 32


@dataclass(slots=True)
class IndexReport:
    """The figures of one run.

    `passages` were given (parts of long texts each count), `repeated` ones left out before; `seconds` by stage: `read`
    (input, and what is read by a language model), `embed`, `write`, `link`, `publish`, `total`.
    """

    run: str
    passages: int = 0
    repeated: int = 0
    unchanged: int = 0
    written: int = 0
    failed: int = 0
    malformed_triples: int = 0
    dropped_triples: int = 0
    synonyms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Indexer:
    """What indexing works with: a graph that is there, and an embedder that fits it."""

    database: Database
    graph: Graph
    embedder: Embedder
    prompts_dir: Path | None = None
    progress: Progress = no_progress

    def index(self, passages: Iterable[Passage], model: LanguageModel, *, concurrency: int) -> IndexReport:
        """Read passages with a language model, `concurrency` at a time, and write what changed."""
        report = _begin()
        changed = self._changed((_identify(passage) for passage in passages), report)
        read = self._extract(changed, model, concurrency, report)
        return self._write(read, report, at_once=_WRITTEN_AT_ONCE_FROM_LLM)

    def import_extracted(self, passages: Iterable[ExtractedPassage]) -> IndexReport:
        """Write passages that were read before, as far as they changed."""
        report = _begin()
        changed = self._changed((_identify_extracted(passage) for passage in passages), report)
        return self._write(changed, report, at_once=_WRITTEN_AT_ONCE)

    def _changed(self, passages: Iterable[IdentifiedPassage], report: IndexReport) -> Iterator[IdentifiedPassage]:
        """Leave out passages that stand in the graph as they are; failed ones are read again."""
        for some in _batches(passages, _LOOKUP):
            keys = {passage_key(self.graph.namespace, passage.id): passage for passage in some}
            rows = self.database.run("indexing/find_passages", keys=list(keys))
            there = {row["key"]: row["content_hash"] for row in rows if row["status"] == "written"}
            report.passages += len(some)
            for key, passage in keys.items():
                if there.get(key) == passage.content_hash:
                    report.unchanged += 1
                else:
                    yield passage

    def _extract(
        self, passages: Iterable[IdentifiedPassage], model: LanguageModel, concurrency: int, report: IndexReport
    ) -> Iterator[IdentifiedPassage]:
        """Passages with what the model read in them, as they are done; at most 2 x concurrency are waiting."""
        source = iter(passages)
        waiting: dict[Future[ExtractedPassage], IdentifiedPassage] = {}
        read = 0
        # No `with`: leaving one would wait for the calls under way, minutes with a slow model.
        pool = ThreadPoolExecutor(concurrency, thread_name_prefix="extract")
        try:
            while True:
                for passage in itertools.islice(source, 2 * concurrency - len(waiting)):
                    waiting[pool.submit(self._read, model, passage)] = passage
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                # What was read first: a call that is refused ends the run, and the others have cost something.
                for future in sorted(done, key=lambda ended: ended.exception() is not None):
                    passage = waiting.pop(future)
                    extracted = future.result()
                    report.prompt_tokens += extracted.extraction.prompt_tokens
                    report.completion_tokens += extracted.extraction.completion_tokens
                    read += 1
                    self.progress("read by the language model", report.unchanged + read, None)
                    yield IdentifiedPassage(passage.id, passage.content_hash, extracted)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, model: LanguageModel, passage: IdentifiedPassage) -> ExtractedPassage:
        source = passage.extracted.passage
        return ExtractedPassage(source, extract(model, source, self.prompts_dir))

    def _write(self, passages: Iterable[IdentifiedPassage], report: IndexReport, *, at_once: int) -> IndexReport:
        stages = Stages()
        writer = GraphWriter(
            self.database,
            namespace=self.graph.namespace,
            run=report.run,
            embed=lambda texts: self._embed(texts, stages),
        )
        with stages.time("write"), writer:
            for some in _timed(_batches(passages, at_once), stages):
                batch = gather_batch(
                    some, namespace=self.graph.namespace, normalisation=self.graph.normalisation, run=report.run
                )
                writer.write(batch)
                _count(report, some, sum(row.properties.get("dropped", 0) for row in batch.passages))
                self.progress("passages", report.written + report.failed + report.unchanged, None)
        with stages.time("link"):
            report.synonyms = link_synonyms(
                self.database, self.graph, lambda done, total: self.progress("synonyms", done, total)
            )
        with stages.time("publish"):
            self._publish()
        report.seconds = stages.seconds()
        self._record(report)
        return report

    def _publish(self) -> None:
        """Show readers what was written; then delete the phrases that nothing mentions any more."""
        namespace = self.graph.namespace
        self.database.run("indexing/publish_version", namespace=namespace)
        if self.database.run("indexing/count_orphans", namespace=namespace)[0]["phrases"]:

            def delete(tx: Transaction) -> None:
                tx.run("indexing/raise_version", namespace=namespace)
                tx.run("indexing/delete_orphans", namespace=namespace)
                tx.run("indexing/publish_version", namespace=namespace)

            self.database.write("indexing/delete_orphans", delete)
        self.database.run("schema/await_indexes", seconds=_INDEX_WAIT)

    def _embed(self, texts: Sequence[str], stages: Stages) -> NDArray[np.float32]:
        ordered = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        matrix = np.empty((len(texts), self.graph.dimensions), dtype=np.float32)
        with stages.time("embed"):
            for begin in range(0, len(ordered), _EMBEDDED_AT_ONCE):
                some = ordered[begin : begin + _EMBEDDED_AT_ONCE]
                matrix[some] = self.embedder.embed([texts[i] for i in some])
                self.progress("texts of this batch", begin + len(some), len(texts))
        return matrix

    def _record(self, report: IndexReport) -> None:
        figures = {
            "passages": report.passages,
            "unchanged": report.unchanged,
            "written": report.written,
            "failed": report.failed,
            "malformed_triples": report.malformed_triples,
            "dropped_triples": report.dropped_triples,
            "synonyms": report.synonyms,
            "prompt_tokens": report.prompt_tokens,
            "completion_tokens": report.completion_tokens,
            "seconds": report.seconds["total"],
            "ended": datetime.now(UTC),
        }
        self.database.run("indexing/record_run", namespace=self.graph.namespace, run=report.run, figures=figures)


def _begin() -> IndexReport:
    return IndexReport(run=f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}")


def _identify(passage: Passage) -> IdentifiedPassage:
    return IdentifiedPassage(passage_id(passage), content_hash(passage), ExtractedPassage(passage, Extraction()))


def _identify_extracted(extracted: ExtractedPassage) -> IdentifiedPassage:
    """What was read counts as content too: another extraction of the same text replaces the passage."""
    extraction = extracted.extraction
    triples = [part for triple in extraction.triples for part in (triple.subject, triple.predicate, triple.object)]
    lengths = (str(len(extraction.entities)), str(len(triples)))
    content = content_key(
        content_hash(extracted.passage), *lengths, *extraction.entities, *triples, *extraction.malformed
    )
    return IdentifiedPassage(passage_id(extracted.passage), content, extracted)


def _batches(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """Lists of `size` items; when the source breaks off, what it gave before is handed over first: it may have cost."""
    some: list[ItemT] = []
    try:
        for item in items:
            some.append(item)
            if len(some) == size:
                yield some
                some = []
    except (HippoRAGError, KeyboardInterrupt):
        if some:
            yield some
        raise
    if some:
        yield some


def _timed(items: Iterator[ItemT], stages: Stages) -> Iterator[ItemT]:
    """The items; waiting for them is the stage `read`."""
    while True:
        with stages.time("read"):
            item = next(items, None)
        if item is None:
            return
        yield item


def _count(report: IndexReport, written: Sequence[IdentifiedPassage], dropped: int) -> None:
    failed = sum(passage.extracted.extraction.error is not None for passage in written)
    report.failed += failed
    report.written += len(written) - failed
    report.malformed_triples += sum(len(passage.extracted.extraction.malformed) for passage in written)
    report.dropped_triples += dropped
