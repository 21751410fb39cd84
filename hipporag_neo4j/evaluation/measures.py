"""The figures of an evaluation, as pure functions.

A gold passage is given as the set of ids that count as it: one id, or those of a document's parts. A gold passage
that the graph doesn't hold is the empty set: it can't be found and counts against recall.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

RECALL_AT = (2, 5, 10)
ALL_RECALL_AT = (5, 10)
LIMIT = max(*RECALL_AT, *ALL_RECALL_AT)
"""Passages that are looked at."""


def recall_at(ranking: Sequence[str], gold: Sequence[AbstractSet[str]], k: int) -> float:
    """|gold in the top k| / |gold|, 0 to 1 (HippoRAG, section 3.1). Raises ValueError without gold or with k < 1."""
    if not gold:
        raise ValueError("recall needs at least one gold passage")
    if k < 1:
        raise ValueError(f"recall@{k} is not defined")
    top = set(ranking[:k])
    return sum(not top.isdisjoint(ids) for ids in gold) / len(gold)


def all_recall_at(ranking: Sequence[str], gold: Sequence[AbstractSet[str]], k: int) -> float:
    """1 if every gold passage is in the top k, else 0 (HippoRAG, table 6)."""
    return float(recall_at(ranking, gold, k) == 1)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean. Raises ValueError for no values."""
    if not values:
        raise ValueError("no values, no mean")
    return math.fsum(values) / len(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie, interpolated between neighbours (Hyndman-Fan 7).

    Raises ValueError for no values or a share outside 0 to 1.
    """
    if not values:
        raise ValueError("no values, no percentile")
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is no share of the values")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = math.ceil(place)
    # Twice the same weight form would leave the range by rounding; this one doesn't.
    between = ordered[below] + (place - below) * (ordered[above] - ordered[below])
    return min(max(between, ordered[below]), ordered[above])
