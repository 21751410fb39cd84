"""What a mode hands back."""

from dataclasses import dataclass

from hipporag_neo4j.domain import Allowed, Look, RankedPassage, Seed

NO_FACT = "There is no fact to begin with; dense search answered."
WEIGHTLESS_FACTS = (
    "Of all facts those kept are the farthest from the question, so they weigh nothing; dense search answered."
)
WALKED_NOWHERE = (
    "The walk reached no passage: the graph changed meanwhile, or HIPPORAG_MINIMUM is too high; dense search answered."
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a mode found, and how; `fallback`, `stale`, `looks` and `allowed` as in RetrievalResult."""

    passages: tuple[RankedPassage, ...]
    seeds: tuple[Seed, ...] = ()
    entities: tuple[str, ...] = ()
    fallback: str | None = None
    stale: bool = False
    looks: tuple[Look, ...] = ()
    allowed: Allowed | None = None
