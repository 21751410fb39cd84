"""What a namespace's passages may be filtered by: declared once, with the indexes that a filter needs.

The declaration, names with types, stands on the graph of the namespace. Its names are properties of one vector index
that all namespaces of the database share; the index holds the names that any of them declared.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import ForeignDataError
from hipporag_neo4j.filters import PREFIX, FilterProperties, FilterType, check_declaration
from hipporag_neo4j.schema import FILTERABLE_INDEX, INDEX_WAIT, Graph, graph_not_found, read_filterable

_MATCHING: dict[FilterType, tuple[str, ...]] = {
    "string": ("STRING",),
    "int": ("INTEGER",),
    "float": ("FLOAT", "INTEGER"),
    "bool": ("BOOLEAN",),
}
"""How Neo4j calls the kinds of values that a declared type compares with."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a namespace's passages may be filtered by now, and what there is to be known about it.

    `rebuilt`: the index that filtered questions search was made anew, and none could be answered meanwhile. `without`
    counts, by name, the passages that have no such value, and `other` those whose value is of another type: a filter on
    the name allows neither.
    """

    filterable: Mapping[str, FilterType]
    rebuilt: bool
    passages: int
    without: Mapping[str, int]
    other: Mapping[str, int]


def declare_filterable(database: Database, graph: Graph, filterable: Mapping[str, str]) -> Declaration:
    """Add names with types to what the namespace's passages may be filtered by; a name again gets the new type.

    The index is made before the declaration stands, so a filter never meets an index without its property. Raises
    InputError for names and types that can't be.
    """
    declared = check_declaration(filterable)
    rebuilt = _index(database, graph.dimensions, declared)
    rows = database.run(
        "schema/set_filterable",
        namespace=graph.namespace,
        added=[f"{name}:{kind}" for name, kind in declared.items()],
        names=[f"{name}:" for name in declared],
    )
    if not rows:
        raise graph_not_found(graph.namespace)
    return _declaration(database, graph.namespace, read_filterable(rows[0]["filterable"]), rebuilt=rebuilt)


def find_unindexed(database: Database) -> tuple[str, str] | None:
    """A namespace, and what it declared as `name:type,…`, where the index lacks some of that; None where there is none.

    So it is while another client makes the index anew, and after one was cut off in that.
    """
    there = _indexed(database)
    for row in database.run("schema/list_filterable"):
        if read_filterable(row["filterable"]).keys() - there:
            return row["namespace"], ",".join(row["filterable"])
    return None


def _index(database: Database, dimensions: int, declared: Mapping[str, FilterType]) -> bool:
    """See to it that the index holds the names of all namespaces and these; whether one with fewer names was there."""
    database.run("schema/create_passage_id_index")
    there = _indexed(database)
    wanted = there | declared.keys()
    for row in database.run("schema/list_filterable"):
        wanted |= read_filterable(row["filterable"]).keys()
    rebuilt = bool(there) and wanted != there
    if wanted != there:
        database.run("schema/drop_filterable_index")
        names = FilterProperties(tuple(sorted(wanted)))
        database.run("schema/create_filterable_index", where=names, dimensions=dimensions)
    if missing := sorted(wanted - _indexed(database)):
        raise ForeignDataError(
            f"The index {FILTERABLE_INDEX!r} was made without the metadata {missing[0]!r}: another client made one at "
            "the same time, or the database has one of another name on the same properties (SHOW INDEXES). Run the "
            "same command again, or drop the other one."
        )
    database.run("schema/await_indexes", seconds=INDEX_WAIT)
    return rebuilt


def _indexed(database: Database) -> frozenset[str]:
    """The names that the index holds; none where there is no index."""
    properties = [row["properties"] for row in database.run("schema/show_indexes") if row["name"] == FILTERABLE_INDEX]
    return frozenset(name.removeprefix(PREFIX) for some in properties for name in some if name.startswith(PREFIX))


def _declaration(
    database: Database, namespace: str, filterable: Mapping[str, FilterType], *, rebuilt: bool
) -> Declaration:
    properties = {f"{PREFIX}{name}": name for name in filterable}
    without = dict.fromkeys(filterable, 0)
    other = dict.fromkeys(filterable, 0)
    passages = 0
    for row in database.run("schema/count_value_types", namespace=namespace, names=list(properties)):
        name, kind = properties[row["name"]], row["type"].removesuffix(" NOT NULL")
        passages += row["passages"] if name == next(iter(filterable)) else 0
        if kind == "NULL":
            without[name] += row["passages"]
        elif kind not in _MATCHING[filterable[name]]:
            other[name] += row["passages"]
    return Declaration(filterable, rebuilt, passages, without, other)
