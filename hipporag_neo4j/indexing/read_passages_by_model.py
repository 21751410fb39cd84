"""Passages read by a language model, several at a time."""

import itertools
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.errors import LLMError
from hipporag_neo4j.indexing.extract_triples import extract
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.indexing.index_report import IndexReport, Progress, no_progress
from hipporag_neo4j.llm import LanguageModel

_HOPELESS = 20
"""Passages none of which could be read, after which the others aren't tried."""


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Has a language model read passages, `concurrency` at a time."""

    model: LanguageModel
    concurrency: int
    prompts_dir: Path | None = None
    progress: Progress = no_progress

    def read(
        self, passages: Iterable[IdentifiedPassage], report: IndexReport
    ) -> Generator[IdentifiedPassage, None, None]:
        """Passages with what the model read in them, as they are done; at most 2 x concurrency are waiting.

        Raises LLMAccessError when every further call would fail too, LLMError when none of the first passages can be
        read; what was read before is given first.
        """
        source = iter(passages)
        waiting: dict[Future[ExtractedPassage], IdentifiedPassage] = {}
        read = 0
        succeeded = False
        # No `with`: leaving one would wait for the calls under way, minutes with a slow model.
        pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="extract")
        try:
            while True:
                for passage in itertools.islice(source, 2 * self.concurrency - len(waiting)):
                    waiting[pool.submit(self._read_one, passage)] = passage
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                # What was read first: a call that is refused ends the run, and the others have cost something.
                for future in sorted(done, key=lambda ended: ended.exception() is not None):
                    passage = waiting.pop(future)
                    extracted = future.result()
                    report.count_read(extracted.extraction)
                    read += 1
                    succeeded = succeeded or extracted.extraction.error is None
                    self.progress("read by the language model", report.unchanged + read, None)
                    yield IdentifiedPassage(passage.id, passage.content_hash, extracted)
                    if read >= _HOPELESS and not succeeded:
                        raise self._hopeless(read, extracted)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _read_one(self, passage: IdentifiedPassage) -> ExtractedPassage:
        source = passage.extracted.passage
        return ExtractedPassage(source, extract(self.model, source, self.prompts_dir))

    def _hopeless(self, read: int, last: ExtractedPassage) -> LLMError:
        return LLMError(
            f"The language model {self.model.name!r} read none of the first {read} passages; the last one failed with: "
            f"{last.extraction.error} They are stored as failed; put the cause right (`hipporag-neo4j doctor` asks the "
            "model), then run again."
        )
