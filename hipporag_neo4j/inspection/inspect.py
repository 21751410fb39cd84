"""Run an inspection: find it, check what it is given, read."""

from collections.abc import Mapping
from typing import Any

from hipporag_neo4j import schema
from hipporag_neo4j.database import Database, Row
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.inspection.catalogue import find_inspection
from hipporag_neo4j.inspection.check_names import check_named
from hipporag_neo4j.inspection.parameters import convert
from hipporag_neo4j.inspection.plain import plain


def inspect(database: Database, namespace: str, name: str, given: Mapping[str, Any]) -> list[Row]:
    """The rows of an inspection, in a read transaction.

    Raises InputError for a name that is none, for parameters that are missing, unknown or of the wrong type, and for a
    phrase or passage that isn't there; GraphNotFoundError.
    """
    if not isinstance(name, str):
        raise InputError(f"The name of an inspection is {name!r}. Give a text; `hipporag-neo4j inspect` lists them.")
    inspection = find_inspection(name)
    graph = schema.open_graph(database, namespace)
    values = convert(inspection.name, inspection.parameters, given, graph.normalisation)
    check_named(database, graph, inspection.parameters, values)
    parameters: dict[str, Any] = dict(values)
    rows = database.run(inspection.query.name, namespace=namespace, **parameters)
    return [{column: plain(value) for column, value in row.items()} for row in rows]
