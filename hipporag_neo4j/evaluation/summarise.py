"""Summarise the outcomes of one entry: means over the questions, and how long each stage takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import Mode
from hipporag_neo4j.evaluation.ask import Entry, looks_of
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT, mean, percentile
from hipporag_neo4j.evaluation.sampling import Interval, Sampling, bootstrap_interval


@dataclass(frozen=True, slots=True)
class Latency:
    """How long a stage takes, in milliseconds, over the questions in which it ran; `share` of all the entry's time."""

    p50: float
    p95: float
    share: float


@dataclass(frozen=True, slots=True)
class ModeResult:
    """One entry over all questions: the mean of each score with its 95 % interval, latency by stage, and the outcomes.

    `fallbacks`: questions that dense search answered instead; `stale`: answers from an outdated projection; `looks` at
    facts, and those of them that had no usable answer. The tokens are those of all calls of the language model.
    """

    entry: Entry
    means: Mapping[str, float]
    intervals: Mapping[str, Interval]
    latency: Mapping[str, Latency]
    fallbacks: int
    stale: int
    looks: int
    failed_looks: int
    prompt_tokens: int
    completion_tokens: int
    answers: "Answers | None"
    outcomes: tuple[Outcome, ...]

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.entry.name

    @property
    def mode(self) -> Mode:
        """The mode that the entry is, or is a variant of."""
        return self.entry.mode

    @property
    def recall(self) -> dict[int, float]:
        """Mean recall by cut-off."""
        return {k: self.means[f"recall@{k}"] for k in RECALL_AT}

    @property
    def all_recall(self) -> dict[int, float]:
        """Share of the questions with all gold found, by cut-off."""
        return {k: self.means[f"all_recall@{k}"] for k in ALL_RECALL_AT}


@dataclass(frozen=True, slots=True)
class Answers:
    """What was read: `judged` questions have an answer in the test set, and exact match and F1 are theirs alone.

    `not_found`: the passages don't hold the answer, said the model; `unusable`: it gave none that can be read.
    """

    judged: int
    not_found: int
    unusable: int


def summarise(entry: Entry, outcomes: Sequence[Outcome], sampling: Sampling) -> ModeResult:
    """The figures of an entry over at least one question."""
    scores: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.scores.items():
            scores.setdefault(name, []).append(value)
    looks = [look for outcome in outcomes for look in looks_of(outcome.result)]
    calls = [call for o in outcomes for call in (o.result, o.reading) if call is not None]
    return ModeResult(
        entry=entry,
        means={name: mean(values) for name, values in scores.items()},
        intervals={name: bootstrap_interval(values, sampling) for name, values in scores.items()},
        latency=latency_by_stage([outcome.result.timings for outcome in outcomes]),
        fallbacks=sum(outcome.result.fell_back for outcome in outcomes),
        stale=sum(outcome.result.stale for outcome in outcomes),
        looks=len(looks),
        failed_looks=sum(look.problem is not None for look in looks),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        answers=_answers(outcomes),
        outcomes=tuple(outcomes),
    )


def _answers(outcomes: Sequence[Outcome]) -> Answers | None:
    readings = [outcome.reading for outcome in outcomes if outcome.reading is not None]
    if not readings:
        return None
    return Answers(
        judged=sum("f1" in outcome.scores for outcome in outcomes),
        not_found=sum(reading.answer is None and not reading.problem for reading in readings),
        unusable=sum(bool(reading.problem) for reading in readings),
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
