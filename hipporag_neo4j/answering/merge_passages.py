"""One ranking from several."""

from collections.abc import Iterable
from dataclasses import replace

from hipporag_neo4j.domain import RankedPassage, RetrievalResult


def merge_passages(retrievals: Iterable[RetrievalResult]) -> tuple[RankedPassage, ...]:
    """All passages found, each by its best score, best first; equal ones in the order in which they were found.

    Scores of different searches have different scales, so each is divided by the best of its own search: 1 is the best
    passage of a search. For PageRank and BM25, whose lowest scores are about 0, this is the min-max scaling of the
    official code. Where dense search answered in the place of a walk, the lowest of its cosines is 0: they are all near
    the best one, and would push the walks' passages out.
    """
    merged: dict[str, RankedPassage] = {}
    for retrieval in retrievals:
        scores = [passage.score for passage in retrieval.passages]
        best = max(scores, default=0.0)
        lowest = min(scores) if retrieval.fell_back and len(set(scores)) > 1 else 0.0
        for passage in retrieval.passages:
            scaled = replace(passage, score=(passage.score - lowest) / (best - lowest) if best > 0 else 0.0)
            if passage.id not in merged or scaled.score > merged[passage.id].score:
                merged[passage.id] = scaled
    return tuple(sorted(merged.values(), key=lambda passage: -passage.score))
