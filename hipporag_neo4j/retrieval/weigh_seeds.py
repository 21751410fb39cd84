"""From linked phrases to restart weights: pure arithmetic."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hipporag_neo4j.domain import Fact, Seed


@dataclass(frozen=True, slots=True)
class LinkedPhrase:
    """The phrase that an entity of the question, or None: the question itself, was linked to; `passages` mention it, at
    least one."""

    key: str
    phrase: str
    entity: str | None
    similarity: float
    passages: int


def weigh_by_specificity(linked: Iterable[LinkedPhrase], *, specificity: bool = True) -> dict[str, Seed]:
    """As `weigh_linked`, scaled to sum to 1."""
    seeds = weigh_linked(linked, specificity=specificity)
    total = sum(seed.weight for seed in seeds.values())
    return {key: replace(seed, weight=seed.weight / total) for key, seed in seeds.items()}


def weigh_linked(linked: Iterable[LinkedPhrase], *, specificity: bool = True) -> dict[str, Seed]:
    """Seeds by phrase key, not scaled: equal restart weights, each times its specificity 1 / passages unless it is off.

    HippoRAG, section 2.3 (node specificity). Two entities on one phrase do not add up, as in the official code; the
    seed names the nearer one.
    """
    best: dict[str, LinkedPhrase] = {}
    for phrase in linked:
        known = best.get(phrase.key)
        if known is None or phrase.similarity > known.similarity:
            best[phrase.key] = phrase
    return {
        key: Seed(phrase.phrase, 1 / phrase.passages if specificity else 1.0, phrase.entity, phrase.similarity)
        for key, phrase in best.items()
    }


@dataclass(frozen=True, slots=True)
class KeptFact:
    """A fact that the filter kept: its `score` (0 to 1), and (key, phrase, passages) of its two ends."""

    fact: Fact
    score: float
    ends: tuple[tuple[str, str, int], tuple[str, str, int]]


@dataclass(frozen=True, slots=True)
class NamedPhrase:
    """A phrase that is an entity of the question: the same normalised name. `passages` mention it, at least one."""

    key: str
    phrase: str
    entity: str
    passages: int


@dataclass(frozen=True, slots=True)
class SeedWeights:
    """Seeds by key: phrases with what they come from, and passages. All weights together sum to 1."""

    phrases: Mapping[str, Seed]
    passages: Mapping[str, float]


def weigh_by_facts(facts: Iterable[KeptFact], most: int) -> dict[str, Seed]:
    """The `most` heaviest phrases of kept facts by key, not scaled: the mean over a phrase's facts of score / passages.

    HippoRAG 2, section 3.2. Equal weights go by the phrase; a phrase that no passage mentions counts as mentioned once.
    """
    seeds: dict[str, Seed] = {}
    shares: dict[str, list[float]] = {}
    for kept in facts:
        for key, phrase, passages in dict.fromkeys(kept.ends):
            shares.setdefault(key, []).append(kept.score / max(passages, 1))
            known = seeds.get(key, Seed(phrase, 0.0, None, kept.fact.score))
            seeds[key] = replace(
                known, similarity=max(known.similarity, kept.fact.score), facts=(*known.facts, kept.fact)
            )
    weighed = {key: replace(seed, weight=sum(shares[key]) / len(shares[key])) for key, seed in seeds.items()}
    best = sorted(weighed, key=lambda key: (-weighed[key].weight, weighed[key].phrase))[:most]
    return {key: weighed[key] for key in best if weighed[key].weight > 0}


def add_named(seeds: Mapping[str, Seed], named: Iterable[NamedPhrase], weight: float) -> dict[str, Seed]:
    """Seeds together with the phrases that the question names, which weigh `weight` / passages; the larger counts."""
    joined = dict(seeds)
    for phrase in named:
        own = Seed(phrase.phrase, weight / phrase.passages, phrase.entity, 1.0)
        known = joined.get(phrase.key)
        if known is not None:
            own = replace(own, weight=max(own.weight, known.weight), facts=known.facts)
        if own.weight > 0:
            joined[phrase.key] = own
    return joined


def min_max(scores: Mapping[str, float], lowest: float) -> dict[str, float]:
    """Scores from 0, for `lowest`, to 1, for the highest of them; all 1 where the highest is the lowest."""
    highest = max(scores.values(), default=lowest)
    if highest <= lowest:
        return dict.fromkeys(scores, 1.0)
    return {key: max(0.0, (score - lowest) / (highest - lowest)) for key, score in scores.items()}


def share_out(phrases: Mapping[str, Seed], passages: Mapping[str, float]) -> SeedWeights:
    """The restart probability, shared out by weight. There must be a seed that weighs something."""
    total = sum(seed.weight for seed in phrases.values()) + sum(passages.values())
    return SeedWeights(
        {key: replace(seed, weight=seed.weight / total) for key, seed in phrases.items()},
        {key: weight / total for key, weight in passages.items()},
    )
