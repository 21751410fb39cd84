"""Compare two entries question by question: which wins where, and whether that may be chance."""

from collections.abc import Sequence
from dataclasses import dataclass

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.measures import mean
from hipporag_neo4j.evaluation.sampling import Interval, Sampling, bootstrap_interval, permutation_p
from hipporag_neo4j.evaluation.summarise import ModeResult

COMPARED_BY = ("recall@5", "f1")
"""Scores by which entries are compared, where they were measured."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in both entries."""

    first: Outcome
    second: Outcome
    difference: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first` against `second` by one score, over the questions that have it in both.

    `won` and `lost` by `first`, the largest difference first; `mean_difference`, first minus second, with its 95 %
    interval; `p_value`: how often chance alone would give a difference this large.
    """

    first: str
    second: str
    score: str
    won: tuple[Pair, ...]
    lost: tuple[Pair, ...]
    ties: int
    mean_difference: float
    interval: Interval
    p_value: float


def compare(first: ModeResult, second: ModeResult, sampling: Sampling, score: str = "recall@5") -> Comparison:
    """Pair the outcomes of both by question. Raises ValueError when no question has the score in both."""
    pairs = [
        Pair(one, other, one.scores[score] - other.scores[score])
        for one, other in zip(first.outcomes, second.outcomes, strict=True)
        if score in one.scores and score in other.scores
    ]
    differences = [pair.difference for pair in pairs]
    return Comparison(
        first=first.name,
        second=second.name,
        score=score,
        won=tuple(sorted((p for p in pairs if p.difference > 0), key=lambda p: -p.difference)),
        lost=tuple(sorted((p for p in pairs if p.difference < 0), key=lambda p: p.difference)),
        ties=sum(not difference for difference in differences),
        mean_difference=mean(differences),
        interval=bootstrap_interval(differences, sampling),
        p_value=permutation_p(differences, sampling),
    )


def pairs_of(names: Sequence[str], wanted: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    """Which entries to compare: those named as `FIRST:SECOND`, else the first with each of the others.

    Raises InputError for what names no two different entries.
    """
    if not wanted:
        return tuple((names[0], other) for other in names[1:])
    pairs = []
    for text in wanted:
        first, _, second = text.partition(":")
        if first == second or first not in names or second not in names:
            raise InputError(
                f"{text!r} names no two entries to compare. Give FIRST:SECOND, two of {', '.join(names) or 'none'}."
            )
        pairs.append((first, second))
    return tuple(dict.fromkeys(pairs))
