"""Filters on metadata as they are typed: `--where year>=2020`, and `--filterable year:int,team:string`."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import output

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Allowed
    from hipporag_neo4j.filterable import Declaration

WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="NAME=VALUE",
        help="Only passages whose metadata is so, also with >, >=, < and <=, in quotes for the shell: 'year>=2020'; "
        "several must all hold. As if there were no others. init --filterable declares the names. A value that reads "
        "as JSON is taken as such: year=2019 is a number, year='\"2019\"' a text.",
    ),
]
Filterable = Annotated[
    list[str] | None,
    typer.Option(
        "--filterable",
        metavar="NAME:TYPE",
        help="Let questions be filtered by metadata, such as year:int,team:string; types are string, int, float and "
        "bool. Adds to what was declared before.",
    ),
]
_CONDITION = re.compile(r"(?P<name>.+?)\s*(?P<operator>>=|<=|=|>|<)\s*(?P<value>.*)", re.DOTALL)


def parse_where(given: Sequence[str] | None) -> dict[str, Any] | None:
    """A filter as it was typed, as `retrieve` takes it; None without one."""
    if not given:
        return None
    conditions: dict[str, dict[str, Any]] = {}
    for text in given:
        found = _CONDITION.fullmatch(text.strip())
        if found is None or found["name"].endswith("!") or found["value"].startswith(("=", "<", ">")):
            raise typer.BadParameter(
                f"--where {text!r} isn't NAME=VALUE, such as 'year>=2020'. Operators are =, >, >=, < and <=; a value "
                "that begins with one of these goes in double quotes: team='\"=x\"'."
            )
        on_name = conditions.setdefault(found["name"], {})
        if found["operator"] in on_name:
            raise typer.BadParameter(f"--where compares {found['name']!r} with {found['operator']} twice. Take one.")
        on_name[found["operator"]] = metadata_value(found["value"])
    return {name: wanted["="] if wanted.keys() == {"="} else wanted for name, wanted in conditions.items()}


def metadata_value(text: str) -> Any:
    """A value of metadata as it was typed."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    # What no metadata can be is a text that happens to look like it.
    return text if value is None or isinstance(value, dict) else value


def filter_values(allowed: "Allowed | None") -> dict[str, Any] | None:
    """What a filter allowed, as plain values."""
    if allowed is None:
        return None
    return {"where": allowed.where, "allowed": allowed.passages, "passages": allowed.total}


def filter_line(allowed: "Allowed") -> str:
    """What a filter allowed, for people."""
    return f"Filter {allowed.where}: {allowed.passages:,} of {output.plural(allowed.total, 'passage')}."


def declaration_values(declaration: "Declaration") -> dict[str, Any]:
    """What may be filtered by, as plain values."""
    return {
        "filterable": dict(declaration.filterable),
        "index_rebuilt": declaration.rebuilt,
        "without_value": dict(declaration.without),
        "other_type": dict(declaration.other),
    }


def show_declaration(declaration: "Declaration") -> None:
    """What may be filtered by, and which passages a filter never allows."""
    names = ", ".join(f"{name}:{kind}" for name, kind in declaration.filterable.items())
    output.tell(f"Questions can be filtered by {names}.")
    if declaration.rebuilt:
        output.tell(
            "The index that filtered questions search, which all namespaces share, was made anew; they could not be "
            "answered meanwhile."
        )
    for name, passages in declaration.other.items():
        if passages:
            kind = declaration.filterable[name]
            output.warn(
                f"{output.plural(passages, 'passage has', 'passages have')} a value of {name!r} that is no {kind}; a "
                "filter on it never allows them."
            )
    for name, passages in declaration.without.items():
        if passages and passages == declaration.passages:
            output.warn(f"No passage has metadata named {name!r}, so a filter on it allows none.")
