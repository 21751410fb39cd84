"""A question searched and explained, also while the graph is being written to."""

from collections.abc import Callable
from typing import Protocol

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.errors import GraphChangedError
from hipporag_neo4j.explanation import Explanation

_TRIES = 3


class Explain(Protocol):
    """Explains a result, as `HippoRAG.explain`."""

    def __call__(self, result: RetrievalResult, *, strict: bool = True) -> Explanation:
        """The explanation. Raises GraphChangedError where the graph has changed since, if it has to be strict."""


def search_and_explain(search: Callable[[], RetrievalResult], explain: Explain) -> Explanation:
    """What `search` finds, explained: of one version of the graph, or after three tries as it is, and `stale`."""
    for _ in range(_TRIES - 1):
        try:
            return explain(search())
        except GraphChangedError:
            continue
    return explain(search(), strict=False)
