"""Named statements as they are sent, and what every connection and transaction says of itself."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from hipporag_neo4j import queries
from hipporag_neo4j.queries import Filling

if TYPE_CHECKING:
    import neo4j

Row = dict[str, Any]

PRODUCT = "hipporag-neo4j"
NO_LIMIT = 0.0
"""As the time limit of a statement, in seconds."""


@cache
def user_agent() -> str:
    """What the server's log and list of connections call this product: its name, with its version where it is known."""
    try:
        return f"{PRODUCT}/{version(PRODUCT)}"
    except PackageNotFoundError:  # run from its source
        return PRODUCT


def prepared(name: str, where: Filling, parameters: Mapping[str, Any]) -> tuple[queries.Query, dict[str, Any]]:
    """The statement as it is sent, and all parameters it is sent with: exactly the declared ones, else TypeError."""
    query = queries.load(name)
    _check_parameters(query, parameters)
    if not where:
        return query, dict(parameters)
    return query.with_filter(where), {**parameters, **where.parameters}


def alone(statement: queries.Query, timeout: float) -> "neo4j.Query":
    """A statement for a transaction of its own, which the server ends after `timeout` seconds."""
    import neo4j

    return neo4j.Query(literal(statement.text), metadata=metadata(statement.name), timeout=timeout)


def metadata(name: str) -> dict[str, str]:
    """What SHOW TRANSACTIONS says of a statement."""
    return {"app": user_agent(), "statement": name}


def literal(text: str) -> Any:
    """The text of a statement, for the driver's type checks: they ask for a LiteralString."""
    # The statements come from files that are part of the package.
    return text


def session_options(mode: str, name: str | None, fetch_size: int) -> dict[str, Any]:
    """What a session is opened with beside its bookmarks: reads go to a reader of a cluster."""
    return {
        "database": name,
        "default_access_mode": "READ" if mode == "read" else "WRITE",
        "fetch_size": fetch_size,
        "notifications_min_severity": "OFF",
    }


def as_row(keys: Sequence[str], record: "neo4j.Record") -> Row:
    """A record of plain values, lists and maps; `record.data()` would look through each of them for nodes."""
    return dict(zip(keys, record.values(), strict=True))


def _check_parameters(query: queries.Query, parameters: Mapping[str, Any]) -> None:
    given = frozenset(parameters)
    if given != query.parameters:
        raise TypeError(
            f"cypher/{query.name}.cypher takes {sorted(query.parameters)}: "
            f"missing {sorted(query.parameters - given)}, unknown {sorted(given - query.parameters)}."
        )
