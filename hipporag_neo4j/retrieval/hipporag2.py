"""Mode `hipporag2`: question -> facts -> recognition memory -> phrases and passages -> PageRank over both -> passages.

HippoRAG 2 (ICML 2025), section 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.domain import Look
from hipporag_neo4j.retrieval.dense import find_near
from hipporag_neo4j.retrieval.filter_facts import Verdict, first_look, triplet
from hipporag_neo4j.retrieval.find_facts import Candidate, Nearest, find_nearest
from hipporag_neo4j.retrieval.found import NO_FACT, WALKED_NOWHERE, WEIGHTLESS_FACTS, Found
from hipporag_neo4j.retrieval.hipporag1 import why_unlinked
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.link_query import NodeLinking, link_nodes
from hipporag_neo4j.retrieval.rank_passages import rank_by_mentions, rank_passage_nodes
from hipporag_neo4j.retrieval.seed_passages import find_passage_seeds
from hipporag_neo4j.retrieval.weigh_seeds import KeptFact, SeedWeights, share_out, weigh_by_facts, weigh_linked

if TYPE_CHECKING:
    from neo4j.vector import Vector

    from hipporag_neo4j.domain import Fact, Seed


Linking = Literal["facts", NodeLinking]
"""What gives the phrases where the walk starts: the question's nearest facts, or phrases linked as in `hipporag1`."""


@dataclass(frozen=True, slots=True)
class FactSeeds:
    """How facts and passages become seeds: `facts` are shown to the filter, the best `phrases` of the kept ones seed.

    The nearest passage weighs `passage_weight`; `passages` of them seed, all where it is 0. Comparisons of the paper:
    another `linking`, where a linked phrase weighs as one of a fact with score 1; no filter where `filtered` is false;
    without `passage_nodes` the walk is that of `hipporag1`, over phrases alone.
    """

    facts: int = 5
    phrases: int = 5
    passage_weight: float = 0.05
    passages: int = 0
    linking: Linking = "facts"
    filtered: bool = True
    passage_nodes: bool = True


@dataclass(frozen=True, slots=True)
class _Start:
    """The phrases where the walk starts, not scaled, and how they were found; without a phrase `why` says why."""

    phrases: "Mapping[str, Seed]"
    entities: tuple[str, ...] = ()
    looks: tuple[Look, ...] = ()
    why: str | None = None


async def retrieve(inquiry: Inquiry, recipe: FactSeeds) -> Found:
    """The best passages. Where no fact is kept, dense search answers and says so.

    Given entities count where they are linked; facts are found without them.
    """
    vector, negated = await embed_question(inquiry)
    if recipe.linking == "facts":
        start = await _start_from_facts(inquiry, vector, negated, recipe)
    else:
        linked = await link_nodes(inquiry, recipe.linking, most=recipe.phrases)
        start = _Start(weigh_linked(linked.phrases), linked.entities, why=why_unlinked(recipe.linking, linked.entities))
    if not start.phrases:
        passages = await find_near(inquiry, vector)
        return Found(passages, entities=start.entities, fallback=start.why, looks=start.looks)
    if recipe.passage_nodes:
        with inquiry.stages.time("seed"):
            seeded = await find_passage_seeds(
                inquiry, vector, negated, most=recipe.passages, weight=recipe.passage_weight
            )
        seeds = share_out(start.phrases, seeded)
        ranking = await rank_passage_nodes(inquiry, seeds)
    else:
        seeds = share_out(start.phrases, {})
        ranking = await rank_by_mentions(inquiry, seeds.phrases)
    if not ranking.passages:
        passages = await find_near(inquiry, vector)
        return Found(passages, (), start.entities, WALKED_NOWHERE, stale=ranking.stale, looks=start.looks)
    return Found(ranking.passages, heaviest_first(seeds), start.entities, stale=ranking.stale, looks=start.looks)


async def _start_from_facts(inquiry: Inquiry, vector: "Vector", negated: "Vector", recipe: FactSeeds) -> _Start:
    with inquiry.stages.time("find"):
        nearest = await find_nearest(inquiry, vector, negated, recipe.facts)
    if not nearest.candidates:
        return _Start({}, why=NO_FACT)
    facts = [candidate.fact for candidate in nearest.candidates]
    if recipe.filtered:
        with inquiry.stages.time("filter"):
            verdict = await inquiry.sources.filter_facts(inquiry.question, [triplet(fact) for fact in facts])
    else:
        verdict = Verdict(tuple(range(len(facts))))
    look = first_look(facts, verdict)
    phrases = weigh_by_facts(kept_facts(nearest, nearest.candidates, look.kept), recipe.phrases)
    why = WEIGHTLESS_FACTS if look.kept else "No fact bears on the question; dense search answered."
    return _Start(phrases, looks=(look,), why=why)


async def embed_question(inquiry: Inquiry) -> "tuple[Vector, Vector]":
    """The question's vector, and the negated one, whose nearest are the farthest."""
    with inquiry.stages.time("embed"):
        matrix = await inquiry.sources.embed([inquiry.question])
    (vector,), (negated,) = as_vectors(matrix), as_vectors(-matrix)
    return vector, negated


def kept_facts(
    nearest: Nearest, candidates: Iterable[Candidate], kept: "Sequence[Fact]", minimum: float = 0.0
) -> list[KeptFact]:
    """The candidates that were kept, their scores scaled over all facts and at least `minimum`."""
    return [
        KeptFact(
            candidate.fact,
            max(minimum, nearest.scale(candidate.fact.score)),
            ends=(
                (candidate.subject.key, candidate.subject.phrase, candidate.subject.passages),
                (candidate.object.key, candidate.object.phrase, candidate.object.passages),
            ),
        )
        for candidate in candidates
        if candidate.fact in kept
    ]


def heaviest_first(seeds: SeedWeights) -> "tuple[Seed, ...]":
    """The phrase seeds, for the result."""
    return tuple(sorted(seeds.phrases.values(), key=lambda seed: (-seed.weight, seed.phrase)))
