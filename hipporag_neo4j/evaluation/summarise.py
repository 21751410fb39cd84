"""Summarise the outcomes of one entry: means over the questions, and how long each stage takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import Mode
from hipporag_neo4j.evaluation.ask import Entry
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT, mean, percentile


@dataclass(frozen=True, slots=True)
class Latency:
    """How long a stage takes, in milliseconds, over the questions in which it ran; `share` of all the entry's time."""

    p50: float
    p95: float
    share: float


@dataclass(frozen=True, slots=True)
class ModeResult:
    """One entry over all questions: the means of each score, latency by stage, and the outcomes behind them.

    `fallbacks`: questions that dense search answered instead; `stale`: answers from an outdated projection.
    """

    name: str
    mode: Mode
    means: Mapping[str, float]
    latency: Mapping[str, Latency]
    fallbacks: int
    stale: int
    outcomes: tuple[Outcome, ...]

    @property
    def recall(self) -> dict[int, float]:
        """Mean recall by cut-off."""
        return {k: self.means[f"recall@{k}"] for k in RECALL_AT}

    @property
    def all_recall(self) -> dict[int, float]:
        """Share of the questions with all gold found, by cut-off."""
        return {k: self.means[f"all_recall@{k}"] for k in ALL_RECALL_AT}


def summarise(entry: Entry, outcomes: Sequence[Outcome]) -> ModeResult:
    """The figures of an entry over at least one question."""
    return ModeResult(
        name=entry.name,
        mode=entry.mode,
        means={name: mean([outcome.scores[name] for outcome in outcomes]) for name in outcomes[0].scores},
        latency=latency_by_stage([outcome.result.timings for outcome in outcomes]),
        fallbacks=sum(outcome.result.fell_back for outcome in outcomes),
        stale=sum(outcome.result.stale for outcome in outcomes),
        outcomes=tuple(outcomes),
    )


def latency_by_stage(timings: Sequence[Mapping[str, float]]) -> dict[str, Latency]:
    """p50, p95 and share of each stage, in the order in which stages first appear; `total`, the whole, comes last.

    `timings` holds milliseconds by stage, one mapping a question. A question in which a stage didn't run says nothing
    about it. Shares are of the sum of all `total`s, 0 where that is 0.
    """
    whole = sum(timing.get("total", 0.0) for timing in timings)
    stages = dict.fromkeys(stage for timing in timings for stage in timing)
    ordered = [*(stage for stage in stages if stage != "total"), *(["total"] if "total" in stages else [])]
    latency = {}
    for stage in ordered:
        values = [timing[stage] for timing in timings if stage in timing]
        share = sum(values) / whole if whole else 0.0
        latency[stage] = Latency(percentile(values, 0.5), percentile(values, 0.95), share)
    return latency
