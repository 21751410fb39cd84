"""Which passages a question may find: the filter it is asked with, how many it allows, and how to search among them.

An index over facts or phrases knows no metadata. Either so much of it is looked at that enough allowed entries are
among it, as many as without a filter are looked at, or everything that the allowed passages say: whichever is less.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hipporag_neo4j.database import Row
from hipporag_neo4j.domain import Allowed
from hipporag_neo4j.errors import QueryError
from hipporag_neo4j.filters import EVERYTHING, Filter, Where, make_filter
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.schema import FILTERABLE_INDEX, Graph

Statement = tuple[str, dict[str, Any]]
"""A name, and the parameters it is sent with."""

_NO_INDEX = "Neo.ClientError.Schema.IndexNotFound"
_MARGIN = 1.5
"""An index is asked for so many times what should give enough allowed entries if they were spread evenly."""
_PER_PASSAGE = 4
"""Entries of an index that take as long as everything that one passage says: some nine facts or phrases."""


def read_filter(graph: Graph, where: Where | None) -> Filter:
    """The filter that `where` means in a graph; without one everything is allowed. Raises InputError."""
    return EVERYTHING if where is None else make_filter(where, graph.filterable, graph.namespace)


@contextmanager
def missing_index_explained(graph: Graph) -> Iterator[None]:
    """Says what to type where the index that filtered questions search is gone. Raises QueryError."""
    try:
        yield
    except QueryError as error:
        if error.code != _NO_INDEX or FILTERABLE_INDEX not in str(error):
            raise
        names = ",".join(f"{name}:{kind}" for name, kind in graph.filterable.items())
        raise QueryError(
            f"The index {FILTERABLE_INDEX!r}, which filtered questions search, is missing. Another client may be "
            "making it anew, which takes seconds: try again in a moment. If it stays missing (`hipporag-neo4j doctor`) "
            f"it was dropped: `hipporag-neo4j init --namespace {graph.namespace} --filterable {shlex.quote(names)}` "
            "makes it.",
            query=error.query,
            code=error.code,
        ) from error


async def count_allowed(inquiry: Inquiry) -> Allowed:
    """How many passages the inquiry's filter allows."""
    with inquiry.stages.time("allow"):
        rows = await inquiry.run("retrieval/count_allowed")
    return Allowed(str(inquiry.where), rows[0]["allowed"], rows[0]["total"])


async def search(
    inquiry: Inquiry,
    indexed: Statement,
    exhaustive: Statement,
    *,
    fetch: int,
    enough: Callable[[Sequence[Row]], bool] = bool,
) -> list[Row]:
    """Rows of the statement `indexed`, which looks at `fetch` entries of an index, or with a filter perhaps of the
    statement `exhaustive`, which looks at all allowed ones.

    The first one's rows count if as many allowed entries as that were among those it looked at (`seen`), and `enough`
    says that what is wanted is there.
    """
    statement, parameters = indexed
    if not inquiry.where:
        return await inquiry.run(statement, fetch=fetch, **parameters)
    wider = _fetch(inquiry, fetch)
    if wider is not None:
        rows = await inquiry.run(statement, fetch=wider, **parameters)
        if _as_many(rows, fetch) and enough(rows):
            return rows
    statement, parameters = exhaustive
    return await inquiry.run(statement, **parameters)


def _as_many(rows: Sequence[Row], fetch: int) -> bool:
    return all(row["seen"] >= fetch for row in rows)


def _fetch(inquiry: Inquiry, fetch: int) -> int | None:
    """How much of an index to look at for `fetch` allowed entries; None where looking at all of them takes less."""
    allowed = inquiry.allowed
    if allowed is None or not allowed.passages:
        return None
    wider = int(_MARGIN * fetch * allowed.total / allowed.passages) if allowed.passages < allowed.total else fetch
    return wider if wider <= _PER_PASSAGE * allowed.passages else None
