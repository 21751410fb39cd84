"""Metadata filters: what `where` may say, checked against what is declared, and the conditions it becomes.

Names that people give become part of a statement through `quoted`; values are always parameters.
"""

import json
import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.names import quoted as back_quoted

FilterType = Literal["string", "int", "float", "bool"]
Operator = Literal["=", ">", ">=", "<", "<="]
FilterValue = str | int | float | bool
Where = Mapping[str, object]
"""Names with the value to equal, or with operators and values: `{"year": {">=": 2020, "<": 2024}, "team": "x"}`."""

TYPES: tuple[FilterType, ...] = get_args(FilterType)
OPERATORS: tuple[Operator, ...] = get_args(Operator)
PREFIX = "meta_"
"""Of the properties that hold a passage's metadata."""

_NAME = re.compile(r"\w(?:[\w .-]{0,98}[\w.-])?")
_BOUNDS = {"lower": (">", ">="), "upper": ("<", "<=")}
_KINDS = {"string": "a text", "int": "a whole number", "float": "a number", "bool": "true or false"}
_INTEGERS = 2**63
_SHOWN_BITS = 500


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a passage's metadata, by its name, with a value."""

    name: str
    operator: Operator
    value: FilterValue


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that all must hold; the passages of which they hold are the allowed ones. False without any."""

    conditions: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.conditions)

    def __str__(self) -> str:
        """The conditions, for people."""
        return " and ".join(f"{c.name} {c.operator} {json.dumps(c.value, ensure_ascii=False)}" for c in self.conditions)

    def text(self, variable: str) -> str:
        """The conditions on a variable of a statement."""
        return " AND ".join(
            f"{variable}.{quoted(condition.name)} {condition.operator} $where_{number}"
            for number, condition in enumerate(self.conditions)
        )

    @property
    def parameters(self) -> dict[str, FilterValue]:
        """The values, by the names that `text` gives them."""
        return {f"where_{number}": condition.value for number, condition in enumerate(self.conditions)}

    @property
    def key(self) -> str:
        """A text that two filters share if they allow the same by the same conditions."""
        return json.dumps([[c.name, c.operator, type(c.value).__name__, c.value] for c in self.conditions])


EVERYTHING = Filter()
"""Allows every passage."""


@dataclass(frozen=True, slots=True)
class FilterProperties:
    """Properties that an index is to hold for filters, by the names of the metadata."""

    names: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.names)

    def text(self, variable: str) -> str:
        """The properties of a variable of a statement."""
        return ", ".join(f"{variable}.{quoted(name)}" for name in self.names)

    @property
    def parameters(self) -> dict[str, FilterValue]:
        """None: an index takes no values."""
        return {}


def quoted(name: str) -> str:
    """The property of metadata of this name, ready for a statement. Raises InputError for a name that can't be one."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"Metadata named {name!r} can't be filtered by: a name has at most 100 letters, digits, '_', '-', '.' and "
            "spaces inside, and begins with a letter, a digit or '_'. Give the passages that value under such a name."
        )
    return back_quoted(PREFIX + name)


def check_declaration(filterable: Mapping[str, str]) -> dict[str, FilterType]:
    """Names with the types of their values, checked. Raises InputError."""
    if not isinstance(filterable, Mapping):
        raise InputError(f"What is filterable is {filterable!r}. Give names with types, such as {{'year': 'int'}}.")
    checked: dict[str, FilterType] = {}
    for name, kind in filterable.items():
        if not isinstance(name, str):
            raise InputError(f"A name of metadata is {name!r}. Give a text.")
        quoted(name)
        if kind not in TYPES:
            raise InputError(
                f"{name!r} is declared as {kind!r}, which is no type. Take one of {', '.join(TYPES)}; lists can't be "
                "filtered by."
            )
        checked[name] = kind
    return checked


def parse_declaration(text: str) -> dict[str, FilterType]:
    """Names and types of `year:int,team:string`. Raises InputError."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, colon, kind = part.strip().rpartition(":")
        if not colon:
            raise InputError(f"{part.strip()!r} isn't NAME:TYPE, such as year:int. Types are {', '.join(TYPES)}.")
        if found.setdefault(name.strip(), kind.strip()) != kind.strip():
            raise InputError(f"{name.strip()!r} is declared as {found[name.strip()]} and as {kind.strip()}. Take one.")
    return check_declaration(found)


def make_filter(where: Where, declared: Mapping[str, FilterType], namespace: str) -> Filter:
    """The filter that `where` means in a namespace. Its conditions are in one order, however they were given.

    Raises InputError for a name that isn't `declared`, an operator that there is none of, a value of another type than
    the declared one, bounds that contradict the form, and for no condition at all.
    """
    check_form(where)
    if not where:
        raise InputError("The filter holds no condition. Give one, or leave it out to search all passages.")
    conditions = [
        condition
        for name, wanted in where.items()
        for condition in _conditions(name, wanted, _declared_type(name, declared, namespace))
    ]
    return Filter(tuple(sorted(conditions, key=lambda condition: (condition.name, condition.operator))))


def check_form(where: Any) -> None:
    """Raises InputError unless names have values."""
    if not isinstance(where, Mapping):
        raise InputError(f"The filter is {where!r}. Give names with values, such as {{'year': {{'>=': 2020}}}}.")


def _declared_type(name: Any, declared: Mapping[str, FilterType], namespace: str) -> FilterType:
    if not isinstance(name, str):
        raise InputError(f"The filter names {name!r}. Give a name of metadata as a text.")
    if name in declared:
        return declared[name]
    how = f"`hipporag-neo4j init --namespace {namespace} --filterable NAME:TYPE` (types: {', '.join(TYPES)})"
    if not declared:
        raise InputError(
            f"The filter names {name!r}, and the graph in namespace {namespace!r} has no metadata declared as "
            f"filterable. Declare what you filter by, once: {how}."
        )
    there = ", ".join(f"{known}:{kind}" for known, kind in declared.items())
    raise InputError(
        f"The filter names {name!r}, which isn't declared as filterable in namespace {namespace!r}. Declared are "
        f"{there}. Take one of these, or declare it: {how}."
    )


def _conditions(name: str, wanted: Any, kind: FilterType) -> list[Condition]:
    """The conditions on one name."""
    if not isinstance(wanted, Mapping):
        return [Condition(name, "=", _value(name, wanted, kind))]
    if not wanted:
        raise InputError(f"The filter on {name!r} holds no condition. Give a value, or an operator with one.")
    for operator in wanted:
        if operator not in OPERATORS:
            raise InputError(
                f"The filter on {name!r} has {operator!r}, which is no operator. Take {', '.join(OPERATORS)}; for "
                "several values, or all but one, ask once for each."
            )
    conditions = [Condition(name, operator, _value(name, value, kind)) for operator, value in wanted.items()]
    if len(conditions) > 1 and "=" in wanted:
        raise InputError(f"The filter on {name!r} has '=' beside other operators. Give the one value, or the bounds.")
    for bound, operators in _BOUNDS.items():
        if all(operator in wanted for operator in operators):
            raise InputError(f"The filter on {name!r} has two {bound} bounds, {' and '.join(operators)}. Give one.")
    if kind == "bool" and any(condition.operator != "=" for condition in conditions):
        raise InputError(f"{name!r} is declared as bool, which is compared with '=' alone.")
    return conditions


def _value(name: str, value: Any, kind: FilterType) -> FilterValue:
    checked = _as_type(value, kind)
    if checked is None:
        raise InputError(
            f"The filter compares {name!r}, declared as {kind}, with {_shown(value)}. Give {_KINDS[kind]}"
            + (", and ask once for each of several." if isinstance(value, list | tuple | set | frozenset) else ".")
        )
    if isinstance(checked, str):
        try:
            checked.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The filter compares {name!r} with a text that holds half a surrogate pair at character "
                f"{error.start + 1}, which is no Unicode text. Repair or drop that character."
            ) from error
    elif isinstance(checked, int) and not -_INTEGERS <= checked < _INTEGERS:
        raise InputError(
            f"The filter compares {name!r} with {_shown(checked)}, more than 64 bits hold: no passage has it."
        )
    return checked


def is_of_type(value: object, kind: FilterType) -> bool:
    """Whether a value of metadata is one that conditions of this type compare with."""
    return _as_type(value, kind) is not None


def _as_type(value: Any, kind: FilterType) -> FilterValue | None:
    """The value as one of a type, None where it is none."""
    if isinstance(value, bool):
        return value if kind == "bool" else None
    if isinstance(value, str):
        return str(value) if kind == "string" else None
    if isinstance(value, numbers.Integral):
        return int(value) if kind in ("int", "float") else None
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value) if kind == "float" else None
    return None


def _shown(value: Any) -> str:
    """A value in a message; Python refuses to write out the longest numbers."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"a number of {value.bit_length():,} bits"
    return repr(value)
