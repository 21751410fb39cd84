"""What an inspection takes: read from the header of its statement, and values checked against it.

In cypher/inspect the header `params` says of each parameter, in brackets: its type (`str`, `int`, `float` or
`list of str`); `phrase` or `phrases` where it is the name of a phrase that must be there, `passage` where it is a
passage's id or title, `normalised` for other text that is compared with names; `default VALUE`, or `such as VALUE`
where one has to be given.
"""

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.queries import Query, QueryFileError
from hipporag_neo4j.text import Normalisation, normalise

ParameterType = Literal["str", "int", "float", "list of str"]
Role = Literal["phrase", "passage", "normalised", "plain"]
Value = str | int | float | list[str]

NAMESPACE = "namespace"
_ONE = re.compile(r"(\w+) \(((?:[^()]|\([^()]*\))*)\)(?:, |$)")
_WORDS: dict[str, Role] = {"phrase": "phrase", "phrases": "phrase", "passage": "passage", "normalised": "normalised"}
_LITERAL = r"('[^']*'|\[[^\]]*\]|[\d.]+)"
_KINDS = {"str": "a text", "int": "a whole number", "float": "a number", "list of str": "a list of texts"}
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an inspection; `example` shows a value where none is the `default`."""

    name: str
    type: ParameterType
    role: Role
    default: Value | None
    example: Value | None

    @property
    def required(self) -> bool:
        """Whether a value has to be given."""
        return self.default is None

    def __str__(self) -> str:
        """What it takes, for people."""
        kind = {"phrase": "name of a phrase", "passage": "id or title of a passage"}.get(self.role, _KINDS[self.type])
        if self.type == "list of str":
            kind = "names of phrases" if self.role == "phrase" else kind
        value = f"{self.default} unless given" if not self.required else f"such as {self.example!r}"
        return f"{self.name} ({kind}, {value})"


def parameters_of(query: Query) -> tuple[Parameter, ...]:
    """The parameters of a statement but the namespace, those that have to be given first.

    Raises QueryFileError where the header isn't in the form.
    """
    found = [_parameter(query.name, name, text) for name, text in _ONE.findall(query.declaration) if name != NAMESPACE]
    if {parameter.name for parameter in found} | {NAMESPACE} != query.parameters:
        raise QueryFileError(f"cypher/{query.name}.cypher: the header 'params' isn't in the form of cypher/inspect.")
    return tuple(sorted(found, key=lambda parameter: not parameter.required))


def _parameter(query: str, name: str, text: str) -> Parameter:
    kind, _, rest = text.partition(", ")
    role = next((role for word, role in _WORDS.items() if re.match(rf"{word}\b", rest)), "plain")
    default, example = (re.search(rf"{word} {_LITERAL}", rest) for word in ("default", "such as"))
    if kind not in get_args(ParameterType) or (default is None) == (example is None):
        raise QueryFileError(
            f"cypher/{query}.cypher: {name} has to have a type ({', '.join(get_args(ParameterType))}), and "
            "'default VALUE' or 'such as VALUE'."
        )
    value, shown = (ast.literal_eval(match[1]) if match else None for match in (default, example))
    return Parameter(name, kind, role, value, shown)  # type: ignore[arg-type]  # checked above


def check_names(what: str, takes: Sequence[Parameter], given: Mapping[str, object], *, partly: bool = False) -> None:
    """Raise InputError where one was given that isn't taken or, unless `partly`, a parameter is missing."""
    known = {parameter.name for parameter in takes}
    required = [parameter.name for parameter in takes if parameter.required and not partly]
    missing = [name for name in required if name not in given]
    unknown = [name for name in given if name not in known]
    if not missing and not unknown:
        return
    said = [f"needs {' and '.join(missing)}"] if missing else []
    said += [f"takes no {' and no '.join(unknown)}"] if unknown else []
    raise InputError(f"{what} {', and '.join(said)}. {takes_what(takes)}")


def takes_what(takes: Sequence[Parameter]) -> str:
    """What may be given, in a sentence."""
    return f"It takes {', '.join(map(str, takes))}." if takes else "It takes no parameters."


def convert(
    what: str, takes: Sequence[Parameter], given: Mapping[str, object], rule: Normalisation
) -> dict[str, Value]:
    """All values, checked, names normalised as the graph does; defaults where nothing is given. Raises InputError."""
    check_names(what, takes, given)
    return {
        parameter.name: _checked(what, parameter, given.get(parameter.name, parameter.default), rule)
        for parameter in takes
    }


def from_texts(
    what: str, takes: Sequence[Parameter], texts: Sequence[str], *, partly: bool = False
) -> dict[str, Value]:
    """Values from texts of the form NAME=VALUE; several of one name make a list. `partly`: some may be missing.

    Raises InputError.
    """
    by_name: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{text!r} isn't NAME=VALUE. {what}: {takes_what(takes)}")
        by_name.setdefault(name.strip(), []).append(value)
    check_names(what, takes, by_name, partly=partly)
    return {
        parameter.name: _from_texts(what, parameter, by_name[parameter.name])
        for parameter in takes
        if parameter.name in by_name
    }


def _from_texts(what: str, parameter: Parameter, texts: list[str]) -> Value:
    if parameter.type == "list of str":
        return texts
    if len(texts) > 1:
        raise InputError(f"{what}: {parameter.name} was given {len(texts)} times, and takes one value.")
    (text,) = texts
    try:
        if parameter.type == "int":
            return int(text)
        return float(text) if parameter.type == "float" else text
    except ValueError as error:
        raise _wrong(what, parameter, text) from error


def _checked(what: str, parameter: Parameter, value: object, rule: Normalisation) -> Value:
    if parameter.type == "list of str":
        if not isinstance(value, list | tuple) or not value:
            raise _wrong(what, parameter, value)
        return [_checked_text(what, parameter, item, rule) for item in value]
    if parameter.type == "str":
        return _checked_text(what, parameter, value, rule)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(what, parameter, value)
    if parameter.type == "int":
        if not isinstance(value, int) or not 1 <= value <= _MOST:
            raise _wrong(what, parameter, value, f" from 1 to {_MOST:,}")
        return value
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(what, parameter, value)
    return number


def _checked_text(what: str, parameter: Parameter, value: Any, rule: Normalisation) -> str:
    if not isinstance(value, str):
        raise _wrong(what, parameter, value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what}: {parameter.name} holds half a surrogate pair at character {error.start + 1}, which is no Unicode "
            "text. Repair or drop that character."
        ) from error
    return normalise(value, rule) if parameter.role in ("phrase", "normalised") else value


def _wrong(what: str, parameter: Parameter, value: object, bounds: str = "") -> InputError:
    # Python refuses to write numbers of very many digits.
    shown = "a number of more than 40 digits" if isinstance(value, int) and abs(value) >= 10**40 else repr(value)
    return InputError(f"{what}: {parameter.name} is {shown}. Give {_KINDS[parameter.type]}{bounds}: {parameter}.")
