"""Options that several commands share, and settings made from them."""

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.domain import MODES
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.text import NORMALISATIONS

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from hipporag_neo4j.settings import Settings

_JSON = "hipporag_neo4j.json"
"""Where a context keeps whether JSON is wanted: its `meta` is one for all commands of a call."""

ModeName = StrEnum("ModeName", {name: name for name in MODES})  # type: ignore[misc]  # made from the one list
NormalisationName = StrEnum("NormalisationName", {name: name for name in NORMALISATIONS})  # type: ignore[misc]


def check_namespace_option(name: str | None) -> str | None:
    """Refuse a name that no namespace can have, as wrong usage."""
    from hipporag_neo4j.settings import check_namespace

    if name is not None:
        try:
            check_namespace(name)
        except ConfigurationError as error:
            raise typer.BadParameter(str(error)) from error
    return name


def _note_json(context: typer.Context, wanted: bool) -> bool:
    context.meta[_JSON] = wanted
    return wanted


def wants_json(context: typer.Context) -> bool:
    """Whether the command that ran was to print JSON."""
    return bool(context.meta.get(_JSON))


def check_cosine(value: float | None) -> float | None:
    """Refuse what is no threshold for a cosine, as wrong usage."""
    if value is not None and not 0 < value <= 1:
        raise typer.BadParameter(
            f"{value:g} is no threshold for a cosine: take more than 0 and at most 1, such as 0.8."
        )
    return value


Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAME",
        envvar="HIPPORAG_NAMESPACE",
        callback=check_namespace_option,
        help="Which graph: several live side by side in one database. 'default' unless given.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", callback=_note_json, help="Print JSON on standard output, and nothing else there."),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Ask the language model even where its answer is kept from before, and keep none."),
]
Normalisation = Annotated[
    NormalisationName | None,
    typer.Option(
        envvar="HIPPORAG_NORMALISATION",
        help="How phrases are compared, fixed when a graph is made: 'unicode' (any script; the default), or 'paper', "
        "the official code's ASCII rule, for comparisons with it.",
    ),
]
SynonymThreshold = Annotated[
    float | None,
    typer.Option(
        envvar="HIPPORAG_SYNONYM_THRESHOLD",
        callback=check_cosine,
        metavar="COSINE",
        help="Cosine from which two phrases are synonyms, for a new graph: more than 0, at most 1. 0.8 suits the "
        "default model; tune-synonyms shows what others join, and changes it.",
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        envvar="HIPPORAG_PRICES",
        help="A price table of your own, in TOML (docs/cost.md); the package's unless given.",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(envvar="HIPPORAG_DATA_DIR", help="Folder of the local server's data.", show_default=False),
]


def make_settings(**given: Any) -> "Settings":
    """Settings from the environment, with the options that were given on top.

    Raises ConfigurationError that names the environment variable, or the option that stands over it, and what is wrong
    with it, never a secret's value.
    """
    from pydantic import ValidationError

    from hipporag_neo4j.settings import Settings

    values: dict[str, Any] = {
        name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items() if value is not None
    }
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigurationError(_explain(error, given=values)) from None


def _explain(error: "ValidationError", given: Collection[str]) -> str:
    return " ".join(_explain_one(details, given) for details in error.errors())


def _explain_one(details: "ErrorDetails", given: Collection[str]) -> str:
    """One wrong setting as a sentence or two."""
    name, variable, secret = _variable(str(details["loc"][0]))
    place = f"The option for {name} (or {variable})" if name in given else f"The environment variable {variable}"
    wrong = "can't be used" if secret else f"is {details['input']!r}, which can't be used"
    undone = "leave it out" if name in given else "unset it"
    return f"{place} {wrong}: {details['msg']}. Correct it, or {undone} for the default."


def _variable(place: str) -> tuple[str, str, bool]:
    """The name of a field (or alias), its environment variable, and whether it holds a secret."""
    from hipporag_neo4j.settings import Settings

    for name, field in Settings.model_fields.items():
        alias = str(field.validation_alias) if field.validation_alias else f"HIPPORAG_{name.upper()}"
        if place in (name, alias):
            return name, alias, "SecretStr" in str(field.annotation)
    return place, place, True
