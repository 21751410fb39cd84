"""One question, one mode, one result."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hipporag_neo4j.domain import MODES, Mode, RetrievalResult
from hipporag_neo4j.errors import GraphNotFoundError, InputError
from hipporag_neo4j.filters import Where
from hipporag_neo4j.projection import Weights
from hipporag_neo4j.projection_catalogue import DEFAULT_MEGABYTES
from hipporag_neo4j.retrieval import hipporag1, hipporag2, hybrid, no_llm
from hipporag_neo4j.retrieval.allow import count_allowed, missing_index_explained, read_filter
from hipporag_neo4j.retrieval.bm25 import search_by_terms
from hipporag_neo4j.retrieval.dense import search_by_vector
from hipporag_neo4j.retrieval.found import Found
from hipporag_neo4j.retrieval.hipporag1 import NodeSeeds
from hipporag_neo4j.retrieval.hipporag2 import FactSeeds
from hipporag_neo4j.retrieval.hybrid import MOST_LOOKS, FurtherLooks, Recipe
from hipporag_neo4j.retrieval.inquiry import Inquiry, Trace, Walk
from hipporag_neo4j.retrieval.no_llm import NoLLM
from hipporag_neo4j.retrieval.one_version import find_at_one_version
from hipporag_neo4j.retrieval.sources import CountedSources, Sources
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """How to walk, what the edges weigh, and how the modes make their seeds.

    With `without_llm`, `hybrid` asks no language model and makes its seeds as `no_llm` says.
    """

    walk: Walk = field(default_factory=Walk)
    weights: Weights = field(default_factory=Weights)
    hipporag1: NodeSeeds = field(default_factory=NodeSeeds)
    hipporag2: FactSeeds = field(default_factory=FactSeeds)
    hybrid: Recipe = field(default_factory=Recipe)
    no_llm: NoLLM = field(default_factory=lambda: NoLLM(FactSeeds(facts=20, passages=200)))
    without_llm: bool = False
    projection_megabytes: int = DEFAULT_MEGABYTES


def options_of(settings: Settings) -> Options:
    """The options that the settings give."""
    hybrid_facts = FactSeeds(
        settings.hybrid_facts,
        settings.seed_phrases,
        settings.hybrid_passage_weight,
        settings.hybrid_passage_seeds,
    )
    return Options(
        Walk(settings.damping, settings.iterations, settings.tolerance, settings.minimum),
        Weights(settings.projection_weights, settings.fact_weight, settings.synonym_weight, settings.mention_weight),
        NodeSeeds(phrases=settings.seed_phrases),
        FactSeeds(
            settings.hipporag2_facts,
            settings.seed_phrases,
            settings.hipporag2_passage_weight,
            settings.hipporag2_passage_seeds,
        ),
        Recipe(
            hybrid_facts,
            settings.entity_weight,
            FurtherLooks(
                settings.further_facts,
                settings.second_look_phrase_facts,
                settings.third_look_phrase_facts,
                settings.further_passages,
                settings.further_seed_phrases,
                settings.further_minimum,
            ),
        ),
        NoLLM(
            replace(hybrid_facts, passage_weight=settings.no_llm_passage_weight),
            settings.no_llm_entity_weight,
            settings.no_llm_margin,
        ),
        projection_megabytes=settings.projection_megabytes,
    )


async def retrieve(
    sources: Sources,
    graph: Graph,
    question: str,
    *,
    mode: Mode,
    limit: int,
    entities: Sequence[str] | None,
    options: Options,
    looks: int = 1,
    where: Where | None = None,
) -> RetrievalResult:
    """The `limit` best passages for a question, after at most `looks` looks at facts (`hybrid` only).

    With `where` it finds and uses only passages whose metadata has what it says, as if there were no others.

    Raises InputError for a question, mode, limit, looks, entities or filter that can't be used, GraphNotFoundError when
    the graph holds no passage, ConfigurationError when the mode needs a language model and there is none.
    """
    check_question(question, mode, limit, entities, looks)
    if options.without_llm:
        check_without_llm(mode, looks)
    await _need_decider(sources, mode, entities, options)
    conditions = read_filter(graph, where)
    counted = CountedSources(sources)
    inquiry = Inquiry(
        counted,
        graph,
        question,
        limit,
        entities,
        looks,
        conditions,
        walk=options.walk,
        weights=options.weights,
        megabytes=options.projection_megabytes,
    )
    with missing_index_explained(graph):
        seen = await find_at_one_version(inquiry, lambda asked: _find(asked, mode, options))
    found = seen.found
    if not found.passages and (found.allowed is None or not found.allowed.total):
        await _refuse_empty_graph(sources, graph)
    return RetrievalResult(
        question=question,
        mode=mode,
        passages=found.passages,
        seeds=found.seeds,
        entities=found.entities,
        timings=inquiry.stages.milliseconds(),
        fallback=found.fallback,
        stale=seen.stale,
        version=seen.version,
        looks=found.looks,
        prompt_tokens=counted.prompt_tokens,
        completion_tokens=counted.completion_tokens,
        from_cache=counted.from_cache,
        no_llm=options.without_llm and mode == "hybrid",
        allowed=found.allowed,
    ).traced(Trace(graph, seen.walked, inquiry.walk, inquiry.weights, conditions, limit, inquiry.megabytes))


async def _find(inquiry: Inquiry, mode: Mode, options: Options) -> Found:
    """What the mode finds; where a filter allows nothing, nobody is asked."""
    if not inquiry.where:
        return await _find_in_mode(inquiry, mode, options)
    allowed = await count_allowed(inquiry)
    if not allowed.passages:
        return Found((), allowed=allowed)
    return replace(await _find_in_mode(replace(inquiry, allowed=allowed), mode, options), allowed=allowed)


async def _find_in_mode(inquiry: Inquiry, mode: Mode, options: Options) -> Found:
    match mode:
        case "dense":
            return Found(await search_by_vector(inquiry))
        case "bm25":
            return Found(await search_by_terms(inquiry))
        case "hipporag1":
            return await hipporag1.retrieve(inquiry, options.hipporag1)
        case "hipporag2":
            return await hipporag2.retrieve(inquiry, options.hipporag2)
        case "hybrid" if options.without_llm:
            return await no_llm.retrieve(inquiry, options.no_llm)
        case "hybrid":
            return await hybrid.retrieve(inquiry, options.hybrid)


def check_question(question: Any, mode: Any, limit: Any, entities: Any, looks: Any) -> None:
    """Raises InputError for what can't be asked of any graph."""
    if mode not in MODES:
        raise InputError(f"There is no mode {mode!r}. Take one of {', '.join(MODES)}.")
    if not isinstance(question, str):
        raise InputError(f"The question is {question!r}. Give a text.")
    if not question.strip():
        raise InputError("The question is empty. Ask something.")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 10_000:
        raise InputError(f"The limit is {limit!r}; take 1 to 10,000 passages.")
    if isinstance(looks, bool) or not isinstance(looks, int) or not 1 <= looks <= MOST_LOOKS:
        raise InputError(f"The number of looks is {looks!r}; take 1 to {MOST_LOOKS}.")
    if looks > 1 and mode != "hybrid":
        raise InputError(
            f"Only 'hybrid' looks at facts more than once, {mode!r} doesn't. Take mode 'hybrid', or leave --looks "
            "(looks=… in Python) out."
        )
    if isinstance(entities, str):
        raise InputError(f"The entities are one string, {entities!r}. Give a list: [{entities!r}].")
    if entities is not None and not isinstance(entities, Collection):
        raise InputError(f"The entities are {entities!r}. Give a list, such as ['Ada Lovelace'].")
    for text in (question, *(entities or ())):
        if not isinstance(text, str):
            raise InputError(f"An entity is {text!r}. Give texts, such as ['Ada Lovelace'].")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The question or an entity holds half a surrogate pair at character {error.start + 1}, which is no "
                "Unicode text. Repair or drop that character."
            ) from error


def check_without_llm(mode: Mode, looks: int) -> None:
    """Raises InputError for what can't be asked without a language model."""
    if mode in ("hipporag1", "hipporag2"):
        raise InputError(
            f"Only 'hybrid' can do without a language model, {mode!r} can't. Take mode 'hybrid' with --no-llm "
            "(no_llm=True in Python), or mode 'hipporag1' with entities (--entity NAME, or entities=[…])."
        )
    if looks > 1:
        raise InputError(
            f"The number of looks is {looks}, and a further look needs a language model. Take 1, or leave --no-llm "
            "(no_llm=True in Python) out."
        )


async def _need_decider(sources: Sources, mode: Mode, entities: Sequence[str] | None, options: Options) -> None:
    """Say what is missing at once, not after a model was loaded and facts were searched."""
    linking = {"hipporag1": options.hipporag1.linking, "hipporag2": options.hipporag2.linking}.get(mode)
    if (mode == "hybrid" and not options.without_llm) or (linking == "facts" and options.hipporag2.filtered):
        await sources.need_decider(facts=True)
    elif linking == "entities" and entities is None:
        await sources.need_decider(facts=False)


async def _refuse_empty_graph(sources: Sources, graph: Graph) -> None:
    rows = await sources.run("status/count_passages", namespace=graph.namespace)
    if not rows:
        raise GraphNotFoundError(
            f"The graph in namespace {graph.namespace!r} holds no passage. Index some: `hipporag-neo4j index FILE`."
        )
