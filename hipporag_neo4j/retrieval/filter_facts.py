"""Recognition memory: which of the candidate facts bear on a question (HippoRAG 2, section 3.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hipporag_neo4j.domain import Fact, Look
from hipporag_neo4j.errors import InputError

Triplet = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a filter answers: positions (from 0) of the kept facts, ascending, and the question's named entities.

    `unknown`, `problem` and `truncated` as in Look; with a problem nothing is known of facts or entities. The tokens
    are those of all calls made for it; `from_cache` counts answers that were kept from before and cost none.
    """

    kept: tuple[int, ...] = ()
    entities: tuple[str, ...] = ()
    unknown: int = 0
    problem: str | None = None
    truncated: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0


class FactFilter(Protocol):
    """Decides which facts bear on a question; `known` are those kept before, empty in the first look."""

    def __call__(self, question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict: ...


def triplet(fact: Fact) -> Triplet:
    """The fact without its score."""
    return fact.subject, fact.predicate, fact.object


def keep_numbers(numbers: Iterable[int], shown: int) -> tuple[tuple[int, ...], int]:
    """Positions of the facts that are numbered so, from 1 to `shown`, and how many numbers name none of them."""
    given = list(numbers)
    known = {number - 1 for number in given if 1 <= number <= shown}
    return tuple(sorted(known)), sum(not 1 <= number <= shown for number in given)


def check_positions(verdict: Verdict, shown: int) -> Verdict:
    """The verdict of a filter that was handed in. Raises InputError where it keeps what it wasn't shown."""
    if wrong := [position for position in verdict.kept if not 0 <= position < shown]:
        raise InputError(
            f"The fact filter keeps position {wrong[0]} of {shown} facts. Positions count from 0: at most {shown - 1}."
        )
    return verdict


def first_look(shown: Sequence[Fact], verdict: Verdict) -> Look:
    """A look where an unusable answer keeps everything, so that a failing model never looks like poor recall."""
    return _look(shown, range(len(shown)) if verdict.problem else verdict.kept, verdict)


def further_look(shown: Sequence[Fact], verdict: Verdict) -> Look:
    """A look where an unusable answer keeps nothing: what was found before it stands."""
    return _look(shown, () if verdict.problem else verdict.kept, verdict)


def _look(shown: Sequence[Fact], kept: Iterable[int], verdict: Verdict) -> Look:
    return Look(
        tuple(shown), tuple(shown[i] for i in kept), verdict.unknown, verdict.problem, truncated=verdict.truncated
    )
