"""An explanation as plain values, for programs and for the page."""

from dataclasses import asdict
from typing import Any

from hipporag_neo4j.domain import Look
from hipporag_neo4j.explanation import ExplainedPassage, Explanation


def explanation_values(explanation: Explanation) -> dict[str, Any]:
    """All that it says; what was shown to the fact filter and not kept is under `dropped`, look by look."""
    result = explanation.result
    return {
        "question": result.question,
        "mode": result.mode,
        "reason": explanation.reason,
        "stale": explanation.stale or result.stale,
        "version": result.version,
        "entities": list(result.entities),
        "seeds": [{"phrase": seed.phrase, "weight": seed.weight, "entity": seed.entity} for seed in result.seeds],
        "compared": explanation.compared,
        "passages": [_passage_values(rank, one) for rank, one in enumerate(explanation.passages, start=1)],
        "dropped": [
            {"look": number, "why": why_dropped(look, no_llm=result.no_llm), "facts": [asdict(f) for f in look.dropped]}
            for number, look in enumerate(result.looks, start=1)
        ],
        "cypher": {"statement": explanation.statement, "parameters": dict(explanation.parameters)},
    }


def why_dropped(look: Look, *, no_llm: bool) -> str:
    """Why the facts that a look didn't keep were not kept, in one sentence."""
    if look.problem:
        return look.problem
    if no_llm:
        return "They are farther from the question than the nearest fact by more than the margin."
    unknown = f" {look.unknown} of the numbers it gave name no fact." if look.unknown else ""
    return f"The language model, shown {len(look.shown)} facts, didn't find them to bear on the question.{unknown}"


def _passage_values(rank: int, explained: ExplainedPassage) -> dict[str, Any]:
    passage = explained.passage
    return {
        "rank": rank,
        "id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "score": passage.score,
        "dense_rank": explained.dense_rank,
        "bm25_rank": explained.bm25_rank,
        "shares": [asdict(share) for share in explained.shares],
        "paths": [asdict(path) for path in explained.paths],
    }
