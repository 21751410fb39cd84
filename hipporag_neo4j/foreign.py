"""Failures of models that come from another library, neo4j-graphrag above all, without importing that library."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tenacity import RetryError

from hipporag_neo4j.access import Secrets


def failures() -> tuple[type[Exception], ...]:
    """What a foreign model fails with when its endpoint does; anything else is a mistake, and shows as it is.

    The library has been imported by whoever made the model. Its rate limit handler gives up with tenacity's error.
    """
    exceptions = sys.modules.get("neo4j_graphrag.exceptions")
    own = (exceptions.Neo4jGraphRagError,) if exceptions is not None else ()
    return (*own, RetryError, OSError)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a foreign model, as it can be told: without the key that its client holds."""

    error: Exception
    model: object

    @property
    def access_refused(self) -> bool:
        """Whether every further call would fail, too: the key, the account or the model is refused."""
        return any(getattr(error, "status_code", None) in (401, 402, 403, 404) for error in _chain(self.error))

    @property
    def cause(self) -> Exception | None:
        """For `raise … from`; None where it would show the key in a traceback."""
        return self._secrets.cause(self.error)

    def __str__(self) -> str:
        # tenacity's error says only that it was given up.
        tellers = (error for error in _chain(self.error) if not isinstance(error, RetryError))
        said = [text for error in tellers if (text := str(error).strip())]
        text = " ".join(self._secrets.hide(said[0] if said else type(self.error).__name__).split()).rstrip(".")
        return f"{text[:300]}…" if len(text) > 300 else text

    @property
    def _secrets(self) -> Secrets:
        key = getattr(getattr(self.model, "client", None), "api_key", None)
        return Secrets.of(key if isinstance(key, str) else "", None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those inside it: what it was raised from, what it holds, what the last attempt failed with."""
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting:
        found = waiting.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        last: Any = found.last_attempt.exception() if isinstance(found, RetryError) else None
        inside = (last, found.__cause__ or found.__context__, *found.args)
        waiting += [other for other in inside if isinstance(other, BaseException)]
