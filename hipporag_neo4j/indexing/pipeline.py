"""Indexing, step by step: leave out what is unchanged, read, gather, embed, write, link synonyms, publish."""

import itertools
from collections.abc import Callable, Container, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.database import Database
from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.errors import InputError, LLMError
from hipporag_neo4j.indexing.batches import batches, document_of, documents_in, timed
from hipporag_neo4j.indexing.check_passages import OnProblem, content_hash, passage_id
from hipporag_neo4j.indexing.check_passages import report as report_problem
from hipporag_neo4j.indexing.extract_triples import extract
from hipporag_neo4j.indexing.failed_passages import failed_passages
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage, gather_batch
from hipporag_neo4j.indexing.link_synonyms import link_synonyms
from hipporag_neo4j.indexing.publish import publish
from hipporag_neo4j.indexing.record_run import new_run, recorded
from hipporag_neo4j.indexing.take_back import take_back
from hipporag_neo4j.indexing.taken_ids import taken_ids
from hipporag_neo4j.indexing.write_graph import GraphWriter
from hipporag_neo4j.keys import passage_key
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.text import content_key
from hipporag_neo4j.timing import Stages

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and of how much (None where unknown)."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


_LOOKUP = 500
_HOPELESS = 20
"""Passages none of which could be read, after which the others aren't tried."""
_EMBEDDED_AT_ONCE = 512
_WRITTEN_AT_ONCE = 200
_WRITTEN_AT_ONCE_FROM_LLM = 32


@dataclass(slots=True)
class Prune:
    """Delete the passages that the source doesn't hold any more, when all of it is written.

    `left_out` says how many passages of the source could not be used: with any, nothing is deleted. An empty source is
    refused unless `force` is set. `given` collects the keys of what the source holds.
    """

    left_out: Callable[[], int]
    force: bool = False
    given: set[str] = field(default_factory=set)


@dataclass(slots=True)
class IndexReport:
    """The figures of one run.

    `passages` were given (parts of long texts each count), `repeated` ones left out before, `deleted` parts that
    their document doesn't hold any more, `pruned` passages that the source doesn't; `from_cache` counts answers of the
    language model that were kept from before and cost no tokens; `seconds` by stage: `read` (input, and what is read
    by a language model), `embed`, `write`, `link`, `publish`, `total`.
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
    truncated: int = 0
    deleted: int = 0
    pruned: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def figures(self) -> Mapping[str, object]:
        """What is kept in the graph."""
        return {
            "kind": "index",
            "passages": self.passages,
            "repeated": self.repeated,
            "unchanged": self.unchanged,
            "written": self.written,
            "failed": self.failed,
            "deleted": self.deleted + self.pruned,
            "malformed_triples": self.malformed_triples,
            "dropped_triples": self.dropped_triples,
            "synonyms": self.synonyms,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "from_cache": self.from_cache,
            "seconds": self.seconds.get("total", 0.0),
        }


@dataclass(frozen=True, slots=True)
class Indexer:
    """What indexing works with: a graph that is there, and an embedder that fits it."""

    database: Database
    graph: Graph
    embedder: Embedder
    prompts_dir: Path | None = None
    progress: Progress = no_progress
    on_problem: OnProblem | None = None

    def index(
        self, passages: Iterable[Passage], model: LanguageModel, *, concurrency: int, prune: Prune | None = None
    ) -> IndexReport:
        """Read passages with a language model, `concurrency` at a time, and write what changed.

        Parts of one document follow each other; those that it had before and has no more are deleted.
        """
        report = _begin()
        stale: list[str] = []
        changed = self._changed((_identify(passage) for passage in passages), report, stale, prune)
        read = self._extract(changed, model, concurrency, report)
        return self._write(read, report, stale, prune, at_once=_WRITTEN_AT_ONCE_FROM_LLM)

    def import_extracted(self, passages: Iterable[ExtractedPassage], *, prune: Prune | None = None) -> IndexReport:
        """Write passages that were read before, as far as they changed."""
        report = _begin()
        stale: list[str] = []
        changed = self._changed((_identify_extracted(passage) for passage in passages), report, stale, prune)
        return self._write(changed, report, stale, prune, at_once=_WRITTEN_AT_ONCE)

    def retry_failed(self, model: LanguageModel, *, concurrency: int) -> IndexReport:
        """Read the passages again that the language model could not read, from what the graph holds of them."""
        report = _begin()
        read = self._extract(self._failed(report), model, concurrency, report)
        return self._write(read, report, [], None, at_once=_WRITTEN_AT_ONCE_FROM_LLM)

    def _failed(self, report: IndexReport) -> Generator[IdentifiedPassage, None, None]:
        for passage in failed_passages(self.database, self.graph.namespace):
            report.passages += 1
            yield passage

    def _changed(
        self, passages: Iterable[IdentifiedPassage], report: IndexReport, stale: list[str], prune: Prune | None
    ) -> Generator[IdentifiedPassage, None, None]:
        """Leave out passages that stand in the graph as they are; failed ones are read again.

        A passage, with all parts of its document, whose id there belongs to another document is reported and left out.
        `stale` collects the keys of what documents left there when they were longer, shorter, or split otherwise.
        """
        for given in documents_in(passages, _LOOKUP):
            keys = {passage_key(self.graph.namespace, passage.id): passage for passage in given}
            rows = self.database.run("indexing/find_passages", keys=list(keys))
            taken = taken_ids(rows, keys)
            for error in taken.values():
                report_problem(error, self.on_problem)
            keys = {key: passage for key, passage in keys.items() if document_of(passage) not in taken}
            some = list(keys.values())
            there = {row["key"]: row["content_hash"] for row in rows if row["status"] == "written"}
            stale += self._find_stale_parts(some, keys)
            report.passages += len(keys)
            if prune:
                prune.given.update(keys)
            for key, passage in keys.items():
                if there.get(key) == passage.content_hash:
                    report.unchanged += 1
                else:
                    yield passage

    def _find_stale_parts(self, passages: Sequence[IdentifiedPassage], present: Container[str]) -> list[str]:
        documents = list(dict.fromkeys(document_of(passage) for passage in passages))
        rows = self.database.run(
            "indexing/find_parts",
            namespace=self.graph.namespace,
            documents=documents,
            keys=[passage_key(self.graph.namespace, document) for document in documents],
        )
        return [row["key"] for row in rows if row["key"] not in present]

    def _extract(
        self, passages: Iterable[IdentifiedPassage], model: LanguageModel, concurrency: int, report: IndexReport
    ) -> Generator[IdentifiedPassage, None, None]:
        """Passages with what the model read in them, as they are done; at most 2 x concurrency are waiting."""
        source = iter(passages)
        waiting: dict[Future[ExtractedPassage], IdentifiedPassage] = {}
        read = 0
        succeeded = False
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
                    report.from_cache += extracted.extraction.from_cache
                    read += 1
                    succeeded = succeeded or extracted.extraction.error is None
                    self.progress("read by the language model", report.unchanged + read, None)
                    yield IdentifiedPassage(passage.id, passage.content_hash, extracted)
                    if read >= _HOPELESS and not succeeded:
                        raise LLMError(
                            f"The language model {model.name!r} read none of the first {read} passages; the last one "
                            f"failed with: {extracted.extraction.error} They are stored as failed; put the cause right "
                            "(`hipporag-neo4j doctor` asks the model), then run again."
                        )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, model: LanguageModel, passage: IdentifiedPassage) -> ExtractedPassage:
        source = passage.extracted.passage
        return ExtractedPassage(source, extract(model, source, self.prompts_dir))

    def _write(
        self,
        passages: Generator[IdentifiedPassage, None, None],
        report: IndexReport,
        stale: list[str],
        prune: Prune | None,
        *,
        at_once: int,
    ) -> IndexReport:
        with recorded(self.database, self.graph.namespace, report) as stages:
            self._write_all(passages, report, stages, at_once)
            with stages.time("write"):
                report.deleted = take_back(self.database, self.graph.namespace, stale).passages
                if prune:
                    report.pruned = self._prune(prune)
            with stages.time("link"):
                report.synonyms = link_synonyms(
                    self.database, self.graph, lambda done, total: self.progress("synonyms", done, total)
                )
            with stages.time("publish"):
                publish(self.database, self.graph.namespace)
        return report

    def _write_all(
        self,
        passages: Generator[IdentifiedPassage, None, None],
        report: IndexReport,
        stages: Stages,
        at_once: int,
    ) -> None:
        writer = GraphWriter(
            self.database,
            namespace=self.graph.namespace,
            run=report.run,
            embed=lambda texts: self._embed(texts, stages),
        )
        # Closing ends the calls to the language model at once when writing fails.
        with stages.time("write"), closing(passages), writer:
            for some in timed(batches(passages, at_once), stages):
                batch = gather_batch(
                    some, namespace=self.graph.namespace, normalisation=self.graph.normalisation, run=report.run
                )
                writer.write(batch)
                _count(report, some, sum(row.properties.get("dropped", 0) for row in batch.passages))
                self.progress("passages", report.written + report.failed + report.unchanged, None)

    def _prune(self, prune: Prune) -> int:
        """Delete what the source doesn't hold, if all of it could be read; how many passages it was."""
        if prune.left_out():
            return 0
        if not prune.given and not prune.force:
            raise InputError(
                "The source holds no passage, and pruning would delete the whole graph. Nothing was deleted. Check the "
                "source; if it is meant to be empty, add --force (force=True)."
            )
        rows = self.database.stream("indexing/list_passages", namespace=self.graph.namespace)
        gone = [row["key"] for row in rows if row["key"] not in prune.given]
        return take_back(self.database, self.graph.namespace, gone).passages

    def _embed(self, texts: Sequence[str], stages: Stages) -> NDArray[np.float32]:
        ordered = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        matrix = np.empty((len(texts), self.graph.dimensions), dtype=np.float32)
        with stages.time("embed"):
            for begin in range(0, len(ordered), _EMBEDDED_AT_ONCE):
                some = ordered[begin : begin + _EMBEDDED_AT_ONCE]
                matrix[some] = self.embedder.embed([texts[i] for i in some])
                self.progress("texts of this batch", begin + len(some), len(texts))
        return matrix


def _begin() -> IndexReport:
    return IndexReport(run=new_run())


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


def _count(report: IndexReport, written: Sequence[IdentifiedPassage], dropped: int) -> None:
    failed = sum(passage.extracted.extraction.error is not None for passage in written)
    report.failed += failed
    report.written += len(written) - failed
    report.malformed_triples += sum(len(passage.extracted.extraction.malformed) for passage in written)
    report.dropped_triples += dropped
    report.truncated += sum(passage.extracted.extraction.truncated for passage in written)
