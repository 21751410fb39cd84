"""Passages read by a language model, several at a time."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.errors import LLMError
from hipporag_neo4j.indexing.budget import Budget, Purse, Stop
from hipporag_neo4j.indexing.expected_tokens import Expectation, Tokens
from hipporag_neo4j.indexing.extract_triples import extract
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage
from hipporag_neo4j.indexing.index_report import IndexReport, Progress, Spent, no_progress
from hipporag_neo4j.indexing.kept_readings import kept_readings
from hipporag_neo4j.llm import LanguageModel
from hipporag_neo4j.llm.cached_model import CachedModel
from hipporag_neo4j.llm.metered import MeteredModel
from hipporag_neo4j.llm.usage import UsageLedger
from hipporag_neo4j.prices import Price
from hipporag_neo4j.text import passage_text

_HOPELESS = 20
"""Passages after which the others aren't tried: where none of the first could be read, and where the endpoint failed
for so many one after the other."""

OnSpent = Callable[[Spent], None]


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage with what was read in it, and what that took."""

    extracted: ExtractedPassage
    spent: Tokens
    typical: bool
    counted: bool


class _Source:
    """Passages one by one; one that was not begun can be put back."""

    def __init__(self, passages: Iterable[IdentifiedPassage]) -> None:
        self._passages = iter(passages)
        self._back: list[IdentifiedPassage] = []

    def next(self) -> IdentifiedPassage | None:
        """The next one, None at the end."""
        return self._back.pop() if self._back else next(self._passages, None)

    def put_back(self, passage: IdentifiedPassage) -> None:
        """Have it come next."""
        self._back.append(passage)

    def count(self) -> int:
        """How many are left; they are gone then."""
        return len(self._back) + sum(1 for _ in self._passages)


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Has a language model read passages, `concurrency` at a time.

    With a `budget`, `expectation` tells what passages will take. `price` is for the report; `on_spent` hears what has
    been spent after each passage.
    """

    model: LanguageModel
    concurrency: int
    prompts_dir: Path | None = None
    progress: Progress = no_progress
    budget: Budget | None = None
    expectation: Expectation | None = None
    price: Price | None = None
    on_spent: OnSpent | None = None

    def read(
        self, passages: Iterable[IdentifiedPassage], report: IndexReport
    ) -> Generator[IdentifiedPassage, None, None]:
        """Passages with what the model read in them, as they are done; at most 2 x concurrency are waiting.

        Where the next passage would pass the budget, those under way are given and the others counted as left: see
        `IndexReport.stopped`. Raises LLMAccessError when every further call would fail too, LLMError when none of the
        first passages can be read or the endpoint fails for as many in a row; what was read before is given first.
        """
        source = _Source(passages)
        purse = self._purse()
        waiting: dict[Future[_Read], IdentifiedPassage] = {}
        read = unanswered = 0
        succeeded = False
        # No `with`: leaving one would wait for the calls under way, minutes with a slow model.
        pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="extract")
        try:
            while True:
                stop = self._begin(source, waiting, purse, pool, report.ledger)
                if not waiting:
                    if stop is not None:
                        report.stopped, report.left = stop, source.count()
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                # What was read first: a call that is refused ends the run, and the others have cost something.
                for future in sorted(done, key=lambda ended: ended.exception() is not None):
                    passage = waiting.pop(future)
                    result = future.result()
                    if purse is not None:
                        purse.settle(passage, result.spent, typical=result.typical, counted=result.counted)
                    read += 1
                    succeeded = succeeded or result.extracted.extraction.error is None
                    unanswered = unanswered + 1 if result.extracted.extraction.unanswered else 0
                    self.progress("read by the language model", report.unchanged + read, None)
                    if self.on_spent is not None:
                        self.on_spent(report.spent)
                    yield IdentifiedPassage(passage.id, passage.content_hash, result.extracted)
                    if unanswered >= _HOPELESS or (read >= _HOPELESS and not succeeded):
                        which = "the last" if succeeded else "the first"
                        raise self._hopeless(f"none of {which} {_HOPELESS} passages", result.extracted)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _purse(self) -> Purse | None:
        if self.budget is None:
            return None
        if self.expectation is None:
            raise TypeError("a budget needs an expectation of what passages take")
        return Purse(self.budget, self.expectation)

    def _begin(
        self,
        source: _Source,
        waiting: dict[Future[_Read], IdentifiedPassage],
        purse: Purse | None,
        pool: ThreadPoolExecutor,
        ledger: UsageLedger,
    ) -> Stop | None:
        """Begin passages while there is room for them, and money; which limit the next one would pass, if any."""
        while len(waiting) < (1 if purse is not None and purse.one_at_a_time else 2 * self.concurrency):
            passage = source.next()
            if passage is None:
                break
            if purse is not None and (stop := purse.reserve(passage)) is not None and not self._is_kept(passage):
                source.put_back(passage)
                return stop
            waiting[pool.submit(self._read_one, passage, ledger)] = passage
        return None

    def _is_kept(self, passage: IdentifiedPassage) -> bool:
        """Whether both answers are kept from before, so that it costs nothing to read the passage."""
        if not isinstance(self.model, CachedModel):
            return False
        return not kept_readings(self.model, [passage.extracted.passage], self.prompts_dir)[0].calls

    def _read_one(self, passage: IdentifiedPassage, ledger: UsageLedger) -> _Read:
        source = passage.extracted.passage
        metered = MeteredModel(self.model, ledger, len(passage_text(source.title, source.text)))
        extraction = extract(metered, source, self.prompts_dir)
        return _Read(
            ExtractedPassage(source, extraction),
            Tokens(metered.prompt_tokens, metered.completion_tokens),
            typical=not metered.from_cache and extraction.error is None,
            counted=not metered.uncounted,
        )

    def _hopeless(self, which: str, last: ExtractedPassage) -> LLMError:
        return LLMError(
            f"The language model {self.model.name!r} read {which}; the last one failed with: "
            f"{last.extraction.error} They are stored as failed; put the cause right (`hipporag-neo4j doctor` asks the "
            "model), then run again."
        )
