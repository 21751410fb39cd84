"""Options that several commands share, and settings made from them."""

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

ModeName = StrEnum("ModeName", {name: name for name in MODES})  # type: ignore[misc]  # made from the one list
NormalisationName = StrEnum("NormalisationName", {name: name for name in NORMALISATIONS})  # type: ignore[misc]


def _check_namespace(name: str | None) -> str | None:
    from hipporag_neo4j.settings import check_namespace

    if name is not None:
        try:
            check_namespace(name)
        except ConfigurationError as error:
            raise typer.BadParameter(str(error)) from error
    return name


Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAME",
        envvar="HIPPORAG_NAMESPACE",
        callback=_check_namespace,
        help="Which graph: several live side by side in one database. 'default' unless given.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
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
        min=0,
        max=1,
        envvar="HIPPORAG_SYNONYM_THRESHOLD",
        help="Cosine from which two phrases are synonyms, fixed when a graph is made. 0.8 suits the default model.",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(envvar="HIPPORAG_DATA_DIR", help="Folder of the local server's data.", show_default=False),
]


def make_settings(**given: Any) -> "Settings":
    """Settings from the environment, with the options that were given on top.

    Raises ConfigurationError that names the environment variable and what is wrong with it, never a secret's value.
    """
    from pydantic import ValidationError

    from hipporag_neo4j.settings import Settings

    values: dict[str, Any] = {
        name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items() if value is not None
    }
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigurationError(_explain(error)) from None


def _explain(error: "ValidationError") -> str:
    return " ".join(_explain_one(details) for details in error.errors())


def _explain_one(details: "ErrorDetails") -> str:
    """One wrong setting as a sentence or two."""
    variable, secret = _variable(str(details["loc"][0]))
    value = "" if secret else f" is {details['input']!r}, which can't be used"
    wrong = " can't be used" if secret else value
    return f"The environment variable {variable}{wrong}: {details['msg']}. Correct it, or unset it for the default."


def _variable(place: str) -> tuple[str, bool]:
    """The environment variable of a field (or alias), and whether it holds a secret."""
    from hipporag_neo4j.settings import Settings

    for name, field in Settings.model_fields.items():
        alias = str(field.validation_alias) if field.validation_alias else f"HIPPORAG_{name.upper()}"
        if place in (name, alias):
            return alias, "SecretStr" in str(field.annotation)
    return place, True
