"""Why was each passage found? The walk's shares by seed, the paths behind the largest, and the ranks of other searches.

PageRank is linear in its restart weights: walks from each seed by itself, all passage seeds together, add up to the
whole walk. Both are walked to their end (tolerance 1e-14, at most 200 iterations), and the ranking shown is that of the
whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import RankedPassage, RetrievalResult
from hipporag_neo4j.errors import GraphChangedError, InputError
from hipporag_neo4j.explaining.read_path import read_path
from hipporag_neo4j.explanation import ExplainedPassage, Explanation, Path, Share
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.queries import load
from hipporag_neo4j.retrieval.bm25 import search_by_terms
from hipporag_neo4j.retrieval.dense import search_by_vector
from hipporag_neo4j.retrieval.inquiry import Inquiry, Trace, Walked
from hipporag_neo4j.retrieval.rank_passages import Ranking, rank, walk_graph, weighted_keys
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.schema import Graph, graph_in

ITERATIONS = 200
TOLERANCE = 1e-14
COMPARED = 100
"""Passages of which dense search and BM25 are asked for their ranks, at least."""
MAIN_SEEDS = 3
MAIN_SHARE = 0.05
"""A path is looked for from so many seeds, each of which gives this part of a passage's score at least."""
PAIRS = 200
"""Of a seed and a passage, between which one statement looks for paths: each has a time limit of its own."""
_STATEMENTS = {"phrases": "explain/share_by_mentions", "passages": "explain/share_passage_nodes"}
_DRAWING = "explain/draw_explanation"
_NO_WALK = {
    "dense": "Mode dense doesn't walk: a score is the cosine between the question's vector and the passage's.",
    "bm25": "Mode bm25 doesn't walk: a score is BM25 over the words that the question and the passage share.",
}


@dataclass(frozen=True, slots=True)
class _Walks:
    """The ranking of the whole walk, what each seed (by key, None: the passages) gives to each passage, and whether the
    graph was written to meanwhile."""

    ranking: Ranking
    shares: Mapping[str, Sequence[tuple[str | None, float]]]
    stale: bool


async def explain(sources: Sources, result: RetrievalResult, *, strict: bool = True) -> Explanation:
    """Why each passage of a result was found; asks no language model.

    Raises GraphChangedError where the graph is another version than it was, or becomes one meanwhile, unless it need
    not be `strict`: then the explanation is `stale`. Raises GraphNotFoundError where it is gone, InputError for what is
    no result of one search.
    """
    trace = _trace_of(result)
    inquiry = _inquiry(sources, result, trace)
    changed = await _has_changed(sources, trace, result)
    if changed and strict:
        raise _graph_changed()
    reason = _why_no_walk(result, trace)
    if reason is None and trace.walked is not None:
        walks = await _walk(inquiry, trace.walked)
        passages = walks.ranking.passages
        names = {phrase_key(trace.graph.namespace, seed.phrase): seed.phrase for seed in result.seeds}
        shares = {
            passage.id: _shares(passage, walks.shares.get(passage.id, ()), names, trace.walked) for passage in passages
        }
        main = [(key, passage.id) for passage in passages for key in _main_seeds(walks.shares.get(passage.id, ()))]
        paths = await _find_paths(inquiry, trace.walked, main)
        stale = changed or walks.stale
    else:
        passages, shares, paths, stale = result.passages, {}, {}, changed
    compared = max(COMPARED, trace.limit)
    dense, bm25 = await _other_ranks(replace(inquiry, limit=compared))
    moved = await _has_changed(sources, trace, result)
    if strict and (moved or (stale and not result.stale)):
        raise _graph_changed()
    explained = tuple(
        ExplainedPassage(
            passage,
            shares.get(passage.id, ()),
            paths.get(passage.id, ()),
            dense.get(passage.id),
            bm25.get(passage.id),
        )
        for passage in passages
    )
    return Explanation(
        result,
        explained,
        reason=reason,
        compared=compared,
        stale=stale or moved,
        statement=load(_DRAWING).text,
        parameters={"namespace": trace.graph.namespace, **_to_draw(result, explained)},
    )


def explained_graph(result: RetrievalResult) -> Graph:
    """The graph that a result was found in. Raises InputError for what is no result of one search."""
    return _trace_of(result).graph


def _to_draw(result: RetrievalResult, explained: Sequence[ExplainedPassage]) -> dict[str, list[str]]:
    """Ids of the passages and names of the phrases that were shown: seeds, found passages, and what paths lead over."""
    on_the_way = [node for one in explained for path in one.paths for node in path.nodes]
    passages = [one.passage.id for one in explained] + [node.id for node in on_the_way if node.kind == "passage"]
    phrases = {seed.phrase for seed in result.seeds} | {node.id for node in on_the_way if node.kind == "phrase"}
    return {"passages": list(dict.fromkeys(passages)), "phrases": sorted(phrases)}


def _trace_of(result: RetrievalResult) -> Trace:
    if not isinstance(result, RetrievalResult):
        raise InputError(
            f"explain takes what `retrieve` gave, a RetrievalResult, and was given a {type(result).__name__}. Of an "
            "answer, explain its `retrieval`."
        )
    if result.steps:
        raise InputError(
            "The result merges several searches, each with a walk of its own. Explain one of them: "
            "result.steps[n].retrieval."
        )
    if not isinstance(result.trace, Trace):
        raise InputError("The result doesn't say how it was found: it is a copy, or no search of this package made it.")
    return result.trace


def _graph_changed() -> GraphChangedError:
    return GraphChangedError(
        "The graph was written to since the passages were found, so that nothing exact can be said of them any more. "
        "Ask the question again, and explain that; while a run is writing, rag.explain(result, strict=False) explains "
        "it by the graph as it is."
    )


def _why_no_walk(result: RetrievalResult, trace: Trace) -> str | None:
    """Why no walk explains the passages, None where one does."""
    if result.fallback is not None:
        return f"No walk explains these passages. {result.fallback}"
    if trace.walked is None:
        return _NO_WALK.get(result.mode, "Nothing was walked: no passage is allowed.")
    return None


def _inquiry(sources: Sources, result: RetrievalResult, trace: Trace) -> Inquiry:
    """The result's question, with a walk to its end that leaves nothing out."""
    return Inquiry(
        sources,
        trace.graph,
        result.question,
        trace.limit,
        where=trace.where,
        walk=replace(trace.walk, iterations=ITERATIONS, tolerance=TOLERANCE, minimum=0.0),
        weights=trace.weights,
        megabytes=trace.megabytes,
    )


async def _has_changed(sources: Sources, trace: Trace, result: RetrievalResult) -> bool:
    rows = await sources.run("schema/find_graph", namespace=trace.graph.namespace)
    now = graph_in(rows, trace.graph.namespace)
    return now.created != trace.graph.created or now.version != result.version


async def _walk(inquiry: Inquiry, walked: Walked) -> _Walks:
    """The whole walk, and its parts."""
    ranking = await rank(inquiry, walked, inquiry.limit)
    parts: list[tuple[str | None, Walked]] = [
        (key, replace(walked, phrases={key: weight}, passages={})) for key, weight in walked.phrases.items()
    ]
    if walked.passages:
        parts.append((None, replace(walked, phrases={})))
    rows, again, stale = await walk_graph(
        inquiry,
        _STATEMENTS[walked.shape],
        walked,
        walks=[
            {"number": number, "phrases": weighted_keys(part.phrases), "passages": weighted_keys(part.passages)}
            for number, (_, part) in enumerate(parts)
        ],
        passages=[passage.id for passage in ranking.passages],
    )
    shares: dict[str, list[tuple[str | None, float]]] = {}
    for row in rows:
        shares.setdefault(row["passage"], []).append((parts[row["walk"]][0], row["contribution"]))
    ordered = {passage: sorted(given, key=lambda one: (-one[1], one[0] or "")) for passage, given in shares.items()}
    moved = again.version != walked.version or any(one.version != walked.version for one in inquiry.walked)
    return _Walks(ranking, ordered, stale or ranking.stale or moved)


def _shares(
    passage: RankedPassage,
    given: Sequence[tuple[str | None, float]],
    names: Mapping[str, str],
    walked: Walked,
) -> tuple[Share, ...]:
    return tuple(
        Share(
            None if key is None else names[key],
            sum(walked.passages.values()) if key is None else walked.phrases[key],
            contribution,
            contribution / passage.score if passage.score else 0.0,
        )
        for key, contribution in given
    )


def _main_seeds(given: Sequence[tuple[str | None, float]]) -> list[str]:
    """Keys of the phrases that give most to a passage."""
    total = sum(contribution for _, contribution in given)
    main = [key for key, contribution in given if key is not None and contribution >= MAIN_SHARE * total]
    return main[:MAIN_SEEDS]


async def _find_paths(
    inquiry: Inquiry, walked: Walked, pairs: Sequence[tuple[str, str]]
) -> dict[str, tuple[Path, ...]]:
    """Paths by passage, in the order of the pairs (a seed's key, a passage's id)."""
    if not pairs:
        return {}
    weights = inquiry.weights
    through = walked.shape == "passages"
    rows = [
        row
        for start in range(0, len(pairs), PAIRS)
        for row in await inquiry.run(
            "explain/find_paths",
            pairs=[{"seed": key, "passage": passage} for key, passage in pairs[start : start + PAIRS]],
            through_passages=through,
            fact_weight=weights.fact,
            synonym_weight=weights.synonym,
            synonym_from=weights.synonym_from or 0.0,
            mention_weight=weights.mention if through else 0.0,
        )
    ]
    # Over allowed passages alone, or where a synonym replaces facts, a walker has other ways to choose from.
    known = not inquiry.where and weights.rule == "sum"
    found = {
        (row["seed"], row["passage"]): read_path(row if known else {**row, "probability": None})
        for row in rows
        if _is_whole(row)
    }
    paths: dict[str, list[Path]] = {}
    for pair in pairs:
        if pair in found:
            paths.setdefault(pair[1], []).append(found[pair])
    return {passage: tuple(of) for passage, of in paths.items()}


def _is_whole(row: Row) -> bool:
    """Whether nothing on the path was deleted while it was read."""
    parts = [*(value for node in row["nodes"] for value in node.values()), *(edge["says"] for edge in row["edges"])]
    return all(part is not None for part in parts)


async def _other_ranks(inquiry: Inquiry) -> tuple[dict[str, int], dict[str, int]]:
    """Ranks by passage's id: in dense search, and in BM25."""
    return _ranks(await search_by_vector(inquiry)), _ranks(await search_by_terms(inquiry))


def _ranks(passages: Sequence[RankedPassage]) -> dict[str, int]:
    return {passage.id: number for number, passage in enumerate(passages, start=1)}
