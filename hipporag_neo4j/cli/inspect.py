"""`inspect`: questions that people ask a graph, run or shown as Cypher."""

import json
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import two_columns
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hipporag_neo4j.inspection.catalogue import Inspection
    from hipporag_neo4j.inspection.parameters import Value
    from hipporag_neo4j.settings import Settings

_WIDE = 7
"""Columns from which few rows are shown one under the other."""
_FEW = 2


def inspect(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="What to look at; without it, the list.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", "-p", metavar="NAME=VALUE", help="A parameter; once for each value of a list. Can be repeated."
        ),
    ] = None,
    cypher: Annotated[
        bool, typer.Option("--cypher", help="Print the statement, ready to paste into Neo4j Browser, in place of rows.")
    ] = False,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Look into a graph: facts of a phrase, why passages are connected, what looks wrong.

    Reads only. Names are compared as the graph writes them: 'Oda Merrin' finds 'oda merrin'.
    """
    from hipporag_neo4j.inspection.catalogue import find_inspection
    from hipporag_neo4j.inspection.parameters import from_texts

    if name is None:
        if param or cypher:
            raise typer.BadParameter("--param and --cypher need the NAME of an inspection.")
        _list_all(as_json=as_json)
        return
    inspection = find_inspection(name)
    if cypher:
        given = from_texts(inspection.name, inspection.parameters, param or (), partly=True)
        _show_cypher(inspection, given, make_settings(namespace=namespace), as_json=as_json)
        return
    given = from_texts(inspection.name, inspection.parameters, param or ())
    settings = make_settings(namespace=namespace)
    rows = _read(inspection, given, settings)
    if as_json:
        output.print_json({"namespace": settings.namespace, "inspection": inspection.name, "rows": _values(rows)})
    elif rows:
        output.stdout().print(rows_table(rows))
        if len(rows) == given.get("limit", _default_limit(inspection)):
            output.tell(f"These are the first {len(rows)}; --param limit=… shows more.")
    else:
        output.tell(f"{inspection.name} found nothing in the graph {settings.namespace!r}.")


def _read(inspection: "Inspection", given: "Mapping[str, Value]", settings: "Settings") -> list[dict[str, Any]]:
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(settings) as rag, waiting("Reading"):
        return rag.inspect(inspection.name, **given)


def _default_limit(inspection: "Inspection") -> object:
    return next((parameter.default for parameter in inspection.parameters if parameter.name == "limit"), None)


def _show_cypher(
    inspection: "Inspection", given: "Mapping[str, Value]", settings: "Settings", *, as_json: bool
) -> None:
    from hipporag_neo4j.inspection.paste import ready_to_paste

    text = ready_to_paste(inspection, settings.namespace, _normalised(inspection, given, settings))
    if as_json:
        output.print_json({"namespace": settings.namespace, "inspection": inspection.name, "cypher": text})
    else:
        typer.echo(text)


def _normalised(inspection: "Inspection", given: "Mapping[str, Value]", settings: "Settings") -> "Mapping[str, Value]":
    """The given values as the graph writes names; only for names it has to be asked how."""
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.inspection.parameters import convert
    from hipporag_neo4j.schema import open_graph

    takes = [parameter for parameter in inspection.parameters if parameter.name in given]
    if all(parameter.role in ("plain", "passage") for parameter in takes):
        return convert(inspection.name, takes, given, settings.normalisation or "unicode")
    with HippoRAG(settings) as rag:
        rule = open_graph(rag.database, rag.namespace).normalisation
    return convert(inspection.name, takes, given, rule)


def _list_all(*, as_json: bool) -> None:
    from hipporag_neo4j.inspection.catalogue import GROUPS, inspections

    known = inspections()
    if as_json:
        output.print_json({"inspections": [_description(inspection) for inspection in known.values()]})
        return
    console = output.stdout()
    for question, names in GROUPS:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, min_width=2 + max(map(len, known)))
        table.add_column()
        for name in names:
            inspection = known[name]
            first = inspection.query.description.partition(". ")[0].rstrip(".")
            takes = ", ".join(p.name if p.required else f"[{p.name}]" for p in inspection.parameters)
            table.add_row(
                Text(f"  {name}", style="cyan"), Text.assemble(first, (f" ({takes})" if takes else "", "dim"))
            )
        console.print(Text(question, style="bold"))
        console.print(table)
        console.print()
    console.print(
        'Run one: hipporag-neo4j inspect facts-of-phrase --param phrase="oda merrin" --namespace demo\n'
        "Its text: add --cypher. Parameters in [brackets] have defaults.",
        soft_wrap=True,
    )


def _description(inspection: "Inspection") -> dict[str, Any]:
    return {
        "name": inspection.name,
        "description": inspection.query.description,
        "returns": inspection.query.returns,
        "parameters": [
            {"name": p.name, "type": p.type, "required": p.required, "default": p.default, "example": p.example}
            for p in inspection.parameters
        ],
    }


def rows_table(rows: "Sequence[Mapping[str, Any]]") -> Table:
    """Rows as a table; few rows of many columns one under the other."""
    columns = list(rows[0])
    if len(columns) >= _WIDE and len(rows) <= _FEW:
        return two_columns([(_heading(column), cell(row[column])) for row in rows for column in columns])
    table = Table()
    for column in columns:
        numbers = all(isinstance(row[column], int | float | None) for row in rows)
        table.add_column(_heading(column), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(output.clean(cell(row[column]))) for column in columns))
    return table


def _heading(column: str) -> str:
    return column.replace("_", " ")


def cell(value: Any) -> str:
    """A value in a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return f"{value:%Y-%m-%d %H:%M}" if hasattr(value, "hour") else str(value)


def _values(value: Any) -> Any:
    """Rows as JSON has them."""
    if isinstance(value, list):
        return [_values(item) for item in value]
    if isinstance(value, dict):
        return {key: _values(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value.isoformat() if hasattr(value, "isoformat") else value
