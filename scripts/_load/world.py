"""A small made-up world: passages that stay, passages that change, questions, and a fact filter that needs no model."""

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import ExtractedPassage, Mode
from hipporag_neo4j.retrieval.filter_facts import Triplet, Verdict
from tests.graphs import Fact, passage

_FIRST = (
    "amber",
    "brindle",
    "copper",
    "dusty",
    "ember",
    "frosty",
    "golden",
    "hollow",
    "ivory",
    "jagged",
    "kindly",
    "lunar",
)
_SECOND = ("harbour", "meadow", "lantern", "orchard", "quarry", "steeple", "valley", "windmill", "bridge", "castle")
PLACES = tuple(f"{first} {second}" for first in _FIRST for second in _SECOND)
PREDICATES = ("lies near", "was built by", "trades with", "belongs to", "looks over", "is older than")
MODES: tuple[Mode, ...] = ("hipporag1", "hipporag2", "hybrid", "dense")
STARTING = 300.0
"""Seconds that all clients together may take to start."""
_STAY = 100
_CHANGE = 15


@dataclass(frozen=True, slots=True)
class Question:
    """A question that names two places."""

    text: str
    entities: tuple[str, str]


QUESTIONS = tuple(
    Question(f"What does {one} have to do with {other}?", (one, other))
    for one, other in zip(PLACES[:20], PLACES[47:67], strict=True)
)


def lasting_passages() -> list[ExtractedPassage]:
    """The part of the world that nobody changes; every place is mentioned in it."""
    draw = random.Random(0)
    passages = []
    for number in range(_STAY):
        own = (PLACES[number % len(PLACES)], PLACES[(number + _STAY) % len(PLACES)])
        facts = [(place, draw.choice(PREDICATES), draw.choice(PLACES)) for place in own]
        facts += [(draw.choice(PLACES), draw.choice(PREDICATES), draw.choice(PLACES)) for _ in range(2)]
        passages.append(passage(f"stays-{number}", *dict.fromkeys(facts)))
    return passages


def ids_of(writer: int, writers: int) -> tuple[str, ...]:
    """Ids of the passages that a writer changes: its own ones, and some that all writers change."""
    return (*(f"w{writer}-{number}" for number in range(_CHANGE)), *(f"all-{number}" for number in range(_CHANGE // 3)))


def changed_passage(id_: str, draw: random.Random) -> ExtractedPassage:
    """Another state of a passage: facts on places of the world, some of them spelt otherwise, and on new ones."""
    places = [
        draw.choice(PLACES) + draw.choice(("", "", "", "s")),  # near enough to be a synonym
        draw.choice(PLACES),
        f"{draw.choice(PLACES)} {draw.randrange(30)}",
    ]
    facts = [tuple(draw.sample(places, 2)) for _ in range(draw.randrange(1, 4))]
    return passage(id_, *dict.fromkeys((one, draw.choice(PREDICATES), other) for one, other in facts))


def keep_some(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
    """A fact filter that keeps about half of what it is shown, in every process the same."""
    return Verdict(tuple(place for place, fact in enumerate(facts) if keeps(question, fact)))


def keeps(question: str, fact: Fact) -> bool:
    """Whether the filter keeps a fact."""
    return zlib.crc32(f"{question}|{'|'.join(fact)}".encode()) % 2 == 0
