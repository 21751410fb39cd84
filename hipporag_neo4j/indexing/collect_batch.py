"""Collects a batch that has ended: downloads what came of it, keeps the answers, notes what has to be asked again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hipporag_neo4j.indexing.batch_store import BatchStore, SentBatch, dialect_text, pack
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.llm.batch_api import BatchApi, BatchState
from hipporag_neo4j.llm.batch_lines import Outcome, Result, read_results
from hipporag_neo4j.llm.cached_model import KeptAnswer
from hipporag_neo4j.llm.dialect import Dialect
from hipporag_neo4j.prices import Price

_KEPT_AT_ONCE = 500
_STRANGER = "a line for a request that this batch doesn't hold"
_BETTER: tuple[Outcome, ...] = ("answered", "truncated", "unreadable", "refused", "failed", "undone")
"""Of two lines for one request the better one counts."""


def collect_batch(
    store: BatchStore, api: BatchApi, sent: SentBatch, state: BatchState, *, max_tokens: int, price: Price | None = None
) -> None:
    """Keep the answers of a batch that has ended, and what they cost where `price` lists one for batches.

    Answers are kept as they are read, so what broke off is simply done again; two clients that do it at once do the
    same. Raises LLMError where a file can't be downloaded; then nothing is lost, and the batch counts as not collected.
    """
    keys = store.keys(sent.id)
    if not keys:
        return  # another client has just collected it
    tally = _Tally(sent.dialect, set(keys))
    with TemporaryDirectory() as folder:
        for number, file in enumerate(filter(None, (state.output_file, state.error_file))):
            path = Path(folder) / f"results_{number}.jsonl"
            api.download(file, path)
            results = read_results(path, model=sent.identity[0], max_tokens=max_tokens, hide=api.hide)
            for some in batches(tally.count(results), _KEPT_AT_ONCE):
                store.answers.keep_all(dict(some))
    tally.count_missing(state)
    store.collect(sent.id, {**tally.figures(), **_money(price, tally.prompt_tokens, tally.completion_tokens)})


def _money(price: Price | None, prompt_tokens: int, completion_tokens: int) -> dict[str, object]:
    cost = price.batch_cost(prompt_tokens, completion_tokens) if price is not None else None
    if price is None or cost is None:
        return {}
    return {"cost": cost, "currency": price.currency, "price_date": price.date}


@dataclass(slots=True)
class _Tally:
    """What came of a batch's requests: `open` ones have no line yet, `outcomes` has the others'."""

    sent: Dialect
    open: set[str]
    learnt: dict[str, Any] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    complaints: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def count(self, results: Iterator[Result]) -> Iterator[tuple[str, KeptAnswer]]:
        """The answers to keep, by key, while everything is counted; those that nobody asked for are none of them."""
        for result in results:
            self.prompt_tokens += result.prompt_tokens
            self.completion_tokens += result.completion_tokens
            if result.key not in self.open and result.key not in self.outcomes:
                self.complaints[result.complaint or _STRANGER] += 1
                continue
            if result.complaint:
                self.complaints[result.complaint] += 1
            before = self.outcomes.get(result.key, "undone")
            self.open.discard(result.key)
            self.outcomes[result.key] = min(before, self._judged(result), key=_BETTER.index)
            if result.kept is not None:
                yield result.key, result.kept

    def count_missing(self, state: BatchState) -> None:
        """Requests without a line: undone where the batch ended before its time, else lost by the endpoint."""
        missing: Outcome = "failed" if state.status == "completed" else "undone"
        if self.open and missing == "failed":
            self.complaints["a request without any answer"] += len(self.open)
        self.outcomes.update(dict.fromkeys(self.open, missing))
        self.open.clear()

    def figures(self) -> dict[str, object]:
        """What the graph remembers."""
        number = Counter(self.outcomes.values())
        complaint = self.complaints.most_common(1)
        return {
            "kept": number["answered"],
            "unreadable_answers": number["unreadable"],
            "cut_off": number["truncated"],
            "refused": number["refused"],
            "failures": number["failed"],
            "undone": number["undone"],
            "unreadable": self._packed("unreadable"),
            "failed": self._packed("failed"),
            "hopeless": self._packed("truncated", "refused"),
            "dialect": dialect_text(replace(self.sent, **self.learnt)),
            "complaint": complaint[0][0] if complaint else None,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }

    def _judged(self, result: Result) -> Outcome:
        """A refusal that another way to put the request avoids is learnt from, and no fault of the request."""
        other = self.sent.without(result.complaint) if result.outcome == "refused" else None
        if other is None:
            return result.outcome
        ours, theirs = asdict(self.sent), asdict(other)
        self.learnt |= {name: value for name, value in theirs.items() if value != ours[name]}
        return "undone"

    def _packed(self, *outcomes: Outcome) -> bytes:
        return pack([key for key, outcome in self.outcomes.items() if outcome in outcomes])
