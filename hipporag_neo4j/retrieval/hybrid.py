"""Mode `hybrid`: as `hipporag2`, with the question's entities as seeds beside the facts' phrases, and further looks.

A further look shows the filter facts around what the walk before it found; what it keeps joins the seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.retrieval.dense import find_near
from hipporag_neo4j.retrieval.filter_facts import first_look, further_look, triplet
from hipporag_neo4j.retrieval.find_facts import Candidate, find_around_phrases, find_in_passages, find_nearest
from hipporag_neo4j.retrieval.found import NO_FACT, WALKED_NOWHERE, WEIGHTLESS_FACTS, Found
from hipporag_neo4j.retrieval.hipporag2 import FactSeeds, embed_question, heaviest_first, kept_facts
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.link_query import find_named
from hipporag_neo4j.retrieval.rank_passages import rank_passage_nodes
from hipporag_neo4j.retrieval.seed_passages import find_passage_seeds
from hipporag_neo4j.retrieval.weigh_seeds import add_named, share_out, weigh_by_facts

if TYPE_CHECKING:
    from neo4j.vector import Vector

MOST_LOOKS = 3


@dataclass(frozen=True, slots=True)
class FurtherLooks:
    """What a further look shows: `facts`, of which at most so many touch known phrases, the others being of the best
    `passages`; from then on the best `phrases` seed, and a fact found so counts at least `minimum`."""

    facts: int = 30
    second_phrase_facts: int = 15
    third_phrase_facts: int = 18
    passages: int = 8
    phrases: int = 10
    minimum: float = 0.5


@dataclass(frozen=True, slots=True)
class Recipe:
    """All numbers of the mode; a phrase that the question names weighs `entity_weight` times its specificity."""

    seeds: FactSeeds = field(default_factory=lambda: FactSeeds(facts=20, passage_weight=0.02, passages=200))
    entity_weight: float = 0.5
    further: FurtherLooks = field(default_factory=FurtherLooks)


async def retrieve(inquiry: Inquiry, recipe: Recipe) -> Found:
    """The best passages after the looks wanted, or fewer.

    Given entities go before those that the filter names. An entity alone still walks; without any phrase to start from,
    dense search answers and says so.
    """
    sources, question, entities, stages = inquiry.sources, inquiry.question, inquiry.entities, inquiry.stages
    vector, negated = await embed_question(inquiry)
    with stages.time("find"):
        nearest = await find_nearest(inquiry, vector, negated, recipe.seeds.facts)
    if not nearest.candidates:  # and so no phrase: nothing is worth a call of the language model
        passages = await find_near(inquiry, vector)
        return Found(passages, entities=tuple(entities or ()), fallback=NO_FACT)
    with stages.time("seed"):  # before the filter is asked, whose answer people wait for
        passage_seeds = await find_passage_seeds(
            inquiry, vector, negated, most=recipe.seeds.passages, weight=recipe.seeds.passage_weight
        )
    shown = list(nearest.candidates)
    with stages.time("filter"):
        verdict = await sources.filter_facts(question, [triplet(candidate.fact) for candidate in shown])
    named_entities = verdict.entities if entities is None else tuple(entities)
    done = [first_look([candidate.fact for candidate in shown], verdict)]
    kept = kept_facts(nearest, shown, done[0].kept)
    with stages.time("link"):
        named = await find_named(inquiry, named_entities)

    async def rank(most_phrases: int, at_least: int) -> Found:
        phrases = add_named(weigh_by_facts(kept, most_phrases), named, recipe.entity_weight)
        if not phrases:
            passages = await find_near(inquiry, vector, at_least)
            return Found(passages, entities=named_entities, fallback=WEIGHTLESS_FACTS if kept else _why(named_entities))
        seeds = share_out(phrases, passage_seeds)
        ranking = await rank_passage_nodes(inquiry, seeds, at_least)
        if not ranking.passages:
            passages = await find_near(inquiry, vector, at_least)
            return Found(passages, (), named_entities, WALKED_NOWHERE, stale=ranking.stale)
        return Found(ranking.passages, heaviest_first(seeds), named_entities, stale=ranking.stale)

    further = recipe.further
    found = await rank(recipe.seeds.phrases, further.passages if inquiry.looks > 1 else 0)
    latest = kept
    for number in range(2, inquiry.looks + 1):
        phrases = {key for fact in latest for key, _, _ in fact.ends}
        if number == 2:
            phrases |= {phrase.key for phrase in named}
        with stages.time("gather"):
            gathered = await _gather(
                inquiry, vector, phrases, found.passages, shown, further,
                phrase_facts=further.second_phrase_facts if number == 2 else further.third_phrase_facts,
            )  # fmt: skip
        if not gathered:
            break
        with stages.time("filter"):
            verdict = await sources.filter_facts(
                question, [triplet(candidate.fact) for candidate in gathered], [triplet(fact.fact) for fact in kept]
            )
        look = further_look([candidate.fact for candidate in gathered], verdict)
        done.append(look)
        shown += gathered
        latest = kept_facts(nearest, gathered, look.kept, further.minimum)
        kept = [*kept, *latest]
        found = await rank(further.phrases, further.passages)
    passages = found.passages[: inquiry.limit]
    return Found(passages, found.seeds, named_entities, found.fallback, stale=found.stale, looks=tuple(done))


async def _gather(
    inquiry: Inquiry,
    vector: "Vector",
    phrases: set[str],
    ranked: Sequence[RankedPassage],
    shown: Sequence[Candidate],
    further: FurtherLooks,
    *,
    phrase_facts: int,
) -> list[Candidate]:
    """Facts that were not shown: around the phrases first, then of the best passages."""
    keys = {candidate.key for candidate in shown}
    most = min(phrase_facts, further.facts)
    around = await find_around_phrases(inquiry, vector, phrases, keys, most)
    keys |= {candidate.key for candidate in around}
    best = [passage.id for passage in ranked[: further.passages]]
    inside = await find_in_passages(inquiry, vector, best, keys, further.facts - len(around))
    return [*around, *inside]


def _why(entities: Sequence[str]) -> str:
    if not entities:
        return "No fact bears on the question, and it names no entity; dense search answered."
    return f"No fact bears on the question, and no phrase is {' or '.join(map(repr, entities))}; dense search answered."
