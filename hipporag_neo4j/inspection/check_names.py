"""Whether the phrases and passages that somebody names are in the graph, and which he may have meant."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.inspection.parameters import Parameter, Role, Value
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.schema import Graph

_CANDIDATES = 300
_OFFERED = 5
_START = 3


def check_named(database: Database, graph: Graph, takes: Iterable[Parameter], values: Mapping[str, Value]) -> None:
    """Raise InputError, with the nearest names, where a phrase or passage isn't there."""
    phrases, passages = (_named(takes, values, role) for role in ("phrase", "passage"))
    if phrases:
        keys = {phrase_key(graph.namespace, name): name for name in phrases}
        rows = database.run("names/find_phrases", namespace=graph.namespace, keys=list(keys))
        for key in keys.keys() - {row["key"] for row in rows}:
            raise _missing_phrase(database, graph, keys[key])
    if passages:
        rows = database.run("names/find_passages", namespace=graph.namespace, names=passages)
        there = {value for row in rows for value in row.values()}
        for name in passages:
            if name not in there:
                raise _missing_passage(database, graph, name)


def _named(takes: Iterable[Parameter], values: Mapping[str, Value], role: Role) -> list[str]:
    """The values of the parameters that have a role."""
    found: list[str] = []
    for parameter in takes:
        value = values[parameter.name]
        if parameter.role == role:
            found += value if isinstance(value, list) else [str(value)]
    return found


def _missing_phrase(database: Database, graph: Graph, name: str) -> InputError:
    part = max(name.split(), key=len, default=name)
    rows = database.run(
        "names/suggest_phrases", namespace=graph.namespace, part=part, start=name[:_START], limit=_CANDIDATES
    )
    offered = _offer(name, [row["name"] for row in rows])
    return InputError(
        f"The graph in namespace {graph.namespace!r} holds no phrase {name!r} (names are compared as its normalisation "
        f"{graph.normalisation!r} writes them). {offered}`hipporag-neo4j inspect phrases-by-name --param text=…` finds "
        "more."
    )


def _missing_passage(database: Database, graph: Graph, name: str) -> InputError:
    part = max(name.lower().split(), key=len, default=name)
    rows = database.run("names/suggest_passages", namespace=graph.namespace, part=part, limit=_CANDIDATES)
    offered = _offer(name, [row["name"] for row in rows])
    return InputError(
        f"The graph in namespace {graph.namespace!r} holds no passage with the id or title {name!r}. {offered}"
        "`hipporag-neo4j retrieve QUESTION --mode bm25` finds passages by their words."
    )


def _offer(name: str, candidates: Sequence[str]) -> str:
    """The candidates most like a name, in a sentence; the shortest where none is like it."""
    near = difflib.get_close_matches(name, candidates, n=_OFFERED, cutoff=0.5)
    near = near or sorted(candidates, key=lambda candidate: (len(candidate), candidate))[:_OFFERED]
    return f"Near it are {', '.join(map(repr, near))}. " if near else ""
