"""The shapes a language model is asked to answer in, and how its raw text is read into one.

Brackets, quotes and commas are mended and wrappings taken off; no value is added, moved or completed. What doesn't
fit the shape is kept as malformed, and an answer with nothing that fits is an error, never an empty result.
"""

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic.json_schema import SkipJsonSchema

from hipporag_neo4j.domain import Triple
from hipporag_neo4j.errors import UnreadableAnswerError
from hipporag_neo4j.loose_json import Ending, find_documents

ShapeT = TypeVar("ShapeT", bound=BaseModel)

LONGEST_ANSWER = 200_000
"""Characters from which an answer isn't read: no honest answer to one passage is that long."""

_ENTITY_KEYS = ("named_entities", "entities")
_NUMBER_KEYS = ("relevant_facts", "relevant", "facts", "numbers", "kept")
_TRIPLE_KEYS = ("triples", "facts")
_TRIPLE_PARTS = (
    ("subject", "head"),
    ("predicate", "relation", "relationship", "verb"),
    ("object", "tail"),
)
_NUMBER = re.compile(r"\s*(?:fact|passage)?\s*#?[\[(]?\s*(-?\d{1,9})(?:\.0+)?\s*[\])]?\.?\s*", re.IGNORECASE | re.ASCII)


class EntitiesAnswer(BaseModel):
    """The named entities of a text."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    named_entities: tuple[str, ...]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        items = _items(value, _ENTITY_KEYS)
        if isinstance(value, dict):
            items = _flat(items, of_lists=False)  # a bare list of lists would be triples
        ending = ending_of(info)
        if ending == "open text" or (ending == "open list" and items and isinstance(items[-1], dict)):
            items = items[:-1]
        named = [name for item in items if (name := _entity(item)) is not None]
        if ending != "whole" and not named:
            raise ValueError("it was cut off before its first entity was whole")
        if items and not any(c.isalpha() for name in named for c in name):
            raise ValueError("none of its items is a name")
        return {"named_entities": tuple(dict.fromkeys(named))}


class TriplesAnswer(BaseModel):
    """The facts of a text. `malformed` holds, as JSON texts, what doesn't have exactly three parts."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    triples: tuple[Annotated[tuple[str, ...], Field(min_length=3, max_length=3)], ...]
    malformed: SkipJsonSchema[tuple[str, ...]] = ()

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The triples as domain values."""
        return tuple(Triple(*parts) for parts in self.triples)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        single = isinstance(value, dict) and _triple(value) is not None
        items = _flat([value] if single else _items(value, _TRIPLE_KEYS), of_lists=True)
        whole = items if ending_of(info) == "whole" else items[:-1]
        triples = [_triple(item) for item in whole]
        if ending_of(info) != "whole" and not any(triples):
            raise ValueError("it was cut off before its first triple was whole")
        # A bare list may be a footnote in prose: without a triple in it, it's no answer.
        meant = isinstance(value, dict) and any(isinstance(item, list) for item in whole)
        if items and not meant and not any(triples):
            raise ValueError("none of its items is a list of parts")
        malformed = [item for item, parts in zip(whole, triples, strict=True) if parts is None] + items[len(whole) :]
        return {
            "triples": tuple(dict.fromkeys(parts for parts in triples if parts is not None)),
            "malformed": tuple(dict.fromkeys(clean(json.dumps(item, ensure_ascii=False)) for item in malformed)),
        }


class FurtherFactsAnswer(BaseModel):
    """The numbers of the facts that a filter keeps, as it gave them. `unreadable` counts items that are no number."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    relevant_facts: tuple[int, ...]
    unreadable: SkipJsonSchema[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        return _numbers(value, info)


class FactsAnswer(FurtherFactsAnswer):
    """The numbers of the facts that a filter keeps, and the named entities of the question."""

    named_entities: tuple[str, ...]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        numbers = _numbers(value, info)
        items = _under(value, _ENTITY_KEYS) or []
        if ending_of(info) == "open text":
            items = items[:-1]
        named = [name for item in items if (name := _entity(item)) is not None]
        return {**numbers, "named_entities": tuple(dict.fromkeys(named))}


def read_answer(raw: str, shape: type[ShapeT], *, truncated: bool = False) -> ShapeT:
    """The raw text of an answer as a `shape`.

    `truncated`: the endpoint said that the answer was cut off; its last item is then not trusted. A cut that the text
    itself shows is seen without it. Raises UnreadableAnswerError, with an excerpt, when nothing in the text fits.
    """
    return _read_with_ending(raw, shape, truncated)[0]


def is_whole(raw: str, shape: type[BaseModel]) -> bool:
    """Whether the raw text can be read as a `shape` and doesn't stop in the middle, whatever the endpoint said."""
    try:
        return _read_with_ending(raw, shape, truncated=False)[1] == "whole"
    except UnreadableAnswerError:
        return False


def _read_with_ending(raw: str, shape: type[ShapeT], truncated: bool) -> tuple[ShapeT, Ending]:
    if len(raw) > LONGEST_ANSWER:
        raise UnreadableAnswerError(f"an answer of {len(raw):,} characters is not read: {excerpt(raw)}")
    if not raw.strip():
        raise UnreadableAnswerError("the answer is empty")
    problem = "it holds no JSON that can be mended"
    for document in find_documents(raw, truncated=truncated):
        try:
            return shape.model_validate(document.value, context={"ending": document.ending}), document.ending
        except ValidationError as error:
            problem = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
    raise UnreadableAnswerError(f"the answer can't be used, {problem}: {excerpt(raw)}")


def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape, as strict structured output wants it."""
    schema = shape.model_json_schema()
    schema.pop("description", None)  # the docstring, written for developers
    return {"name": shape.__name__, "strict": True, "schema": schema}


def clean(text: str) -> str:
    """Text that every database and endpoint takes: halves of surrogate pairs become U+FFFD, control characters spaces.

    Runs of white space become one space.
    """
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return " ".join("".join(" " if unicodedata.category(c) == "Cc" else c for c in paired).split())


def excerpt(raw: str, length: int = 160) -> str:
    """The beginning of a raw answer, in quotes, on one line."""
    text = clean(raw[: 2 * length])
    return f'"{text[:length]}…"' if len(raw) > length else f'"{text}"'


def _numbers(value: object, info: ValidationInfo) -> dict[str, Any]:
    """The fields of a FurtherFactsAnswer."""
    if not isinstance(value, dict):  # a bare list may be a footnote in prose
        raise ValueError("it is no object with relevant_facts")  # noqa: TRY004  # pydantic wants this one
    items = _flat(_items(value, _NUMBER_KEYS), of_lists=False)
    plain = {plain_key(str(key)) for key in value}
    # The last number of an answer that was cut off may be the beginning of another one; a list after it is whole.
    cut = ending_of(info) != "whole" and not plain & {plain_key(key) for key in _ENTITY_KEYS}
    if cut:
        items = items[:-1]
    numbers = [number_in(item) for item in items]
    if items and all(number is None for number in numbers):
        raise ValueError("none of its relevant_facts is a number")
    if cut and not items:
        raise ValueError("it was cut off before its first number was whole")
    return {
        "relevant_facts": tuple(dict.fromkeys(number for number in numbers if number is not None)),
        "unreadable": sum(number is None for number in numbers),
    }


def ending_of(info: ValidationInfo) -> Ending:
    ending: Ending = (info.context or {}).get("ending", "whole")
    return ending


def _items(value: object, keys: Sequence[str]) -> list[Any]:
    """The list an answer holds: bare, under one of `keys`, or so in one wrapping; several such objects are joined."""
    if isinstance(value, list):
        held = [items for item in value if (items := _under(item, keys)) is not None]
        return [item for items in held for item in items] if held else value
    if isinstance(value, dict):
        held = [items for item in (value, *value.values()) if (items := _under(item, keys)) is not None]
        if held:
            return held[0]
    raise ValueError(f"it holds no list of {keys[0]}")


def _under(value: object, keys: Sequence[str]) -> list[Any] | None:
    """The list under one of `keys`; lists grouped by kind, `{"people": […], "places": […]}`, are joined."""
    if not isinstance(value, dict):
        return None
    plain = {plain_key(str(key)): held for key, held in value.items()}
    for key in keys:
        held = plain.get(plain_key(key))
        if isinstance(held, list):
            return held
        if isinstance(held, dict) and held and all(isinstance(group, list) for group in held.values()):
            return [item for group in held.values() for item in group]
    return None


def plain_key(key: str) -> str:
    """A key without its spelling: `named_entities`, `namedEntities` and `Named Entities` are one."""
    return re.sub(r"[\W_]", "", key.lower())


def _flat(items: list[Any], *, of_lists: bool) -> list[Any]:
    """`items` with one needless level of nesting taken off. `of_lists`: the items themselves are lists."""
    flat: list[Any] = []
    for item in items:
        nested = isinstance(item, list) and (not of_lists or (item and all(isinstance(part, list) for part in item)))
        flat.extend(item if nested else [item])
    return flat


def _entity(item: object) -> str | None:
    """The name an item gives, also as `{"name": …, "type": …}`."""
    if isinstance(item, dict):
        return next((name for key in ("name", "entity", "text") if (name := _word(item.get(key))) is not None), None)
    return _word(item)


def number_in(item: object) -> int | None:
    """The number an item gives, also as `"3"`, `"[3]"`, `"fact 3"` or `{"number": 3}`; None for anything else."""
    if isinstance(item, dict):
        item = next((item[key] for key in ("number", "id", "fact", "passage") if key in item), None)
    if isinstance(item, int) and not isinstance(item, bool):
        return item
    found = _NUMBER.fullmatch(item) if isinstance(item, str) else None
    return int(found[1]) if found else None


def _triple(item: object) -> tuple[str, str, str] | None:
    """Three parts, from a list or from an object that names them; None for anything else."""
    if isinstance(item, dict):
        plain = {str(key).lower(): part for key, part in item.items()}
        given = [[plain[name] for name in names if name in plain] for names in _TRIPLE_PARTS]
        if any(len(parts) != 1 for parts in given):
            return None
        item = [parts[0] for parts in given]
    if not isinstance(item, list) or len(item) != 3:
        return None
    subject, predicate, object_ = (_word(part) for part in item)
    if subject is None or predicate is None or object_ is None:
        return None
    return subject, predicate, object_


def _word(value: object) -> str | None:
    """The text of a name, number or truth value; None for what is empty, null, NaN or no single value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    return (clean(value) or None) if isinstance(value, str) else None
