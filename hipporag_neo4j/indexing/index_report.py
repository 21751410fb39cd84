"""What one run of indexing did, in figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from hipporag_neo4j.indexing.budget import Stop
from hipporag_neo4j.indexing.gather_batch import IdentifiedPassage, PassageRow
from hipporag_neo4j.indexing.mistyped_metadata import Mistyped
from hipporag_neo4j.llm.usage import CallUsage, UsageLedger
from hipporag_neo4j.prices import Price

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and of how much (None where unknown)."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has spent on the language model so far; `cost` in `currency`, None where no price is known."""

    prompt_tokens: int
    completion_tokens: int
    from_cache: int
    cost: float | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a run was given: its name, None where it has none, and how many passages were in it more than once."""

    name: str | None = None
    count_repeated: Callable[[], int] = int


NAMELESS = Given()


@dataclass(slots=True)
class IndexReport:
    """The figures of one run.

    `passages` of `given` count (parts of long texts each), `repeated` ones were left out before, `deleted` parts that
    their document doesn't hold any more, `pruned` passages that the source doesn't; `overtaken` ones were left as
    another client wrote them while they were read; `mistyped` are, by name, written ones with metadata of another type
    than the one declared as filterable; `seconds` by stage: `read` (input,
    and what is read by a language model), `embed`, `write`, `link`, `publish`, `total`.

    `stopped` says why no more passages were begun, None for a run that did all; `left` passages are for the next run
    then, and nothing was deleted or pruned. `calls` tells what was asked of the language model, by kind, and
    `prompt_tokens`, `completion_tokens` and `from_cache` (answers that were kept from before and cost nothing) add
    them up. `model` is the language model's name, `prompts` a hash of the prompts it was asked with, `price` what it
    costs.
    """

    run: str
    given: Given = NAMELESS
    passages: int = 0
    unchanged: int = 0
    written: int = 0
    failed: int = 0
    malformed_triples: int = 0
    dropped_triples: int = 0
    synonyms: int = 0
    truncated: int = 0
    deleted: int = 0
    pruned: int = 0
    overtaken: int = 0
    mistyped: dict[str, Mistyped] = field(default_factory=dict)
    stopped: Stop | None = None
    left: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    model: str | None = None
    prompts: str | None = None
    price: Price | None = None
    ledger: UsageLedger = field(default_factory=UsageLedger, repr=False, compare=False)

    @property
    def repeated(self) -> int:
        """Passages that were given more than once, left out after the first."""
        return self.given.count_repeated()

    @property
    def calls(self) -> tuple[CallUsage, ...]:
        """What was asked of the language model, by kind of call."""
        return self.ledger.calls()

    @property
    def prompt_tokens(self) -> int:
        """Tokens sent to the language model."""
        return self.spent.prompt_tokens

    @property
    def completion_tokens(self) -> int:
        """Tokens that it wrote."""
        return self.spent.completion_tokens

    @property
    def from_cache(self) -> int:
        """Answers that were kept from before."""
        return self.spent.from_cache

    @property
    def spent(self) -> Spent:
        """What the language model has cost so far."""
        calls = self.calls
        sent = sum(usage.prompt_tokens for usage in calls)
        written = sum(usage.completion_tokens for usage in calls)
        cached = sum(usage.from_cache for usage in calls)
        if self.price is None:
            return Spent(sent, written, cached)
        return Spent(sent, written, cached, self.price.cost(sent, written), self.price.currency)

    def figures(self) -> Mapping[str, object]:
        """What is kept in the graph; numbers, and the calls as JSON."""
        spent = self.spent
        return {
            "kind": "index",
            "source": self.given.name,
            "passages": self.passages,
            "repeated": self.repeated,
            "unchanged": self.unchanged,
            "written": self.written,
            "failed": self.failed,
            "deleted": self.deleted + self.pruned,
            "overtaken": self.overtaken,
            "mistyped": sum(mistyped.passages for mistyped in tuple(self.mistyped.values())),
            "malformed_triples": self.malformed_triples,
            "dropped_triples": self.dropped_triples,
            "synonyms": self.synonyms,
            "stopped": self.stopped,
            "left": self.left,
            "model": self.model,
            "prompts": self.prompts,
            "calls": json.dumps([asdict(usage) for usage in self.calls]),
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "from_cache": spent.from_cache,
            "cost": spent.cost,
            "currency": spent.currency,
            "price_date": self.price.date if self.price else None,
        }

    def count_written(self, passages: Sequence[IdentifiedPassage], dropped: int) -> None:
        """Count passages that were written, of whose triples so many were dropped."""
        failed = sum(passage.extracted.extraction.error is not None for passage in passages)
        self.failed += failed
        self.written += len(passages) - failed
        self.malformed_triples += sum(len(passage.extracted.extraction.malformed) for passage in passages)
        self.dropped_triples += dropped
        self.truncated += sum(passage.extracted.extraction.truncated for passage in passages)

    def count_overtaken(self, passages: Sequence[PassageRow]) -> None:
        """Take back the count of passages that were not written after all."""
        failed = sum(row.properties["status"] == "failed" for row in passages)
        self.overtaken += len(passages)
        self.failed -= failed
        self.written -= len(passages) - failed
