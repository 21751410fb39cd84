"""What lets a result explain itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from hipporag_neo4j.domain import RetrievalResult


@dataclass(frozen=True, slots=True)
class Explainer:
    """Calls a client's `explain`. It isn't copied with a result, and doesn't travel to another process."""

    explain: Callable[[RetrievalResult], Any]

    def __call__(self, result: RetrievalResult) -> Any:
        """The explanation, or what gives it when it is awaited."""
        return self.explain(result)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()
