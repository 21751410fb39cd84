"""What went otherwise than asked, in sentences for people and programs: nobody should have to look for it."""

from collections.abc import Iterable

from hipporag_neo4j.domain import Look, RetrievalResult
from hipporag_neo4j.explanation import Explanation

_CUT_OFF = (
    "The answer on which facts bear on the question was cut off, so some may be missing: HIPPORAG_LLM_MAX_TOKENS."
)
_STALE = "The graph is being written to, or a run broke off (see status): what is shown is not a published version."

_NEWER = (
    "The graph was written to since the search: the explanation is of the graph as it is now, and may show other "
    "passages."
)


def search_notices(result: RetrievalResult) -> list[str]:
    """What went otherwise while searching, in the searches of all steps: a filter that allows nothing, a mode carried
    out with less than it needs, a fallback, useless answers, a stale graph."""
    searches = [step.retrieval for step in result.steps if step.retrieval is not None] or [result]
    looks = look_notices(look for search in searches for look in search.looks)
    fallback = [result.fallback] if result.fallback else []
    ways = list(dict.fromkeys(search.way for search in searches if search.way))
    return [*filter_notices(result), *ways, *fallback, *looks, *([_STALE] if result.stale else [])]


def explanation_notices(explanation: Explanation) -> list[str]:
    """As `search_notices`, and whether what explains the passages is newer than they are."""
    newer = explanation.stale and not explanation.result.stale
    return search_notices(explanation.result) + ([_NEWER] if newer else [])


def filter_notices(result: RetrievalResult) -> list[str]:
    """That a filter left nothing to find."""
    allowed = result.allowed
    if allowed is None or allowed.passages:
        return []
    return [f"The filter {allowed.where} allows none of the {allowed.total:,} passages, so nothing was searched."]


def look_notices(looks: Iterable[Look]) -> list[str]:
    """What went wrong while the language model looked at facts."""
    seen = list(looks)
    problems = [look.problem for look in seen if look.problem]
    return problems + ([_CUT_OFF] if any(look.truncated for look in seen) else [])
