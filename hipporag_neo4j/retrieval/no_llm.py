"""`hybrid` without any language model: phrases whose names stand in the question, and the nearest facts, unfiltered.

Nobody tells which facts bear on the question, or what it names, so it finds less than `hybrid`, more than `dense`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import Fact
from hipporag_neo4j.retrieval.dense import find_near
from hipporag_neo4j.retrieval.filter_facts import Verdict, first_look
from hipporag_neo4j.retrieval.find_facts import find_nearest
from hipporag_neo4j.retrieval.found import WALKED_NOWHERE, Found
from hipporag_neo4j.retrieval.hipporag2 import FactSeeds, embed_question, heaviest_first, kept_facts
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.link_query import find_named
from hipporag_neo4j.retrieval.rank_passages import rank_passage_nodes
from hipporag_neo4j.retrieval.seed_passages import find_passage_seeds
from hipporag_neo4j.retrieval.weigh_seeds import NamedPhrase, add_named, share_out, weigh_by_facts
from hipporag_neo4j.text import normalise

MOST_WORDS = 8
"""Words of the longest phrase that is looked for in a question."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class NoLLM:
    """The numbers of this way: a fact whose cosine is at most `margin` below the best one's is kept, and a phrase that
    the question names weighs `entity_weight` times its specificity; `seeds` as in `hybrid`."""

    seeds: FactSeeds
    entity_weight: float = 0.3
    margin: float = 0.03


async def retrieve(inquiry: Inquiry, recipe: NoLLM) -> Found:
    """The best passages; given entities count in the place of what the question is found to name."""
    stages = inquiry.stages
    vector, negated = await embed_question(inquiry)
    with stages.time("find"):
        nearest = await find_nearest(inquiry, vector, negated, recipe.seeds.facts)
    facts = [candidate.fact for candidate in nearest.candidates]
    looks = (first_look(facts, Verdict(near_best(facts, recipe.margin))),) if facts else ()
    kept = kept_facts(nearest, nearest.candidates, looks[0].kept) if looks else []
    with stages.time("link"):
        if inquiry.entities is None:
            text = normalise(inquiry.question, inquiry.graph.normalisation)
            named = longest_first(text, await find_named(inquiry, word_runs(text)))
        else:
            named = await find_named(inquiry, inquiry.entities)
    phrases = add_named(weigh_by_facts(kept, recipe.seeds.phrases), named, recipe.entity_weight)
    entities = tuple(phrase.entity for phrase in named) if inquiry.entities is None else tuple(inquiry.entities)
    if not phrases:
        passages = await find_near(inquiry, vector)
        return Found(passages, entities=entities, fallback=_NOWHERE, looks=looks)
    with stages.time("seed"):
        passage_seeds = await find_passage_seeds(
            inquiry, vector, negated, most=recipe.seeds.passages, weight=recipe.seeds.passage_weight
        )
    seeds = share_out(phrases, passage_seeds)
    ranking = await rank_passage_nodes(inquiry, seeds)
    if not ranking.passages:
        passages = await find_near(inquiry, vector)
        return Found(passages, (), entities, WALKED_NOWHERE, stale=ranking.stale, looks=looks)
    return Found(ranking.passages, heaviest_first(seeds), entities, stale=ranking.stale, looks=looks)


def near_best(facts: Sequence[Fact], margin: float) -> tuple[int, ...]:
    """Positions of the facts whose score is at most `margin` below the highest."""
    highest = max((fact.score for fact in facts), default=0.0)
    return tuple(i for i, fact in enumerate(facts) if fact.score >= highest - margin)


def word_runs(text: str) -> Iterator[str]:
    """All runs of 1 to `MOST_WORDS` words of a normalised text, the spaces between them as they are."""
    for start, end in _spans(text):
        yield text[start:end]


def longest_first(text: str, named: Iterable[NamedPhrase]) -> tuple[NamedPhrase, ...]:
    """Of the phrases that stand in a normalised text, the longest ones that don't overlap; of equally long ones (in
    words) the first. Each comes once, in the text's order."""
    by_name = {phrase.entity: phrase for phrase in named}
    taken: dict[int, NamedPhrase] = {}
    covered: set[int] = set()
    for start, end in _spans(text):
        phrase = by_name.get(text[start:end])
        if phrase is not None and covered.isdisjoint(range(start, end)):
            covered.update(range(start, end))
            taken[start] = phrase
    return tuple(dict.fromkeys(taken[start] for start in sorted(taken)))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where runs of words start and end, the longest first."""
    words = [match.span() for match in _WORD.finditer(text)]
    for length in range(min(MOST_WORDS, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            yield words[first][0], words[first + length - 1][1]


_NOWHERE = "There is no fact to begin with, and the question names no phrase; dense search answered."
