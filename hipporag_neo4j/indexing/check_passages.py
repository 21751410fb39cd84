"""What makes a passage acceptable, and what identifies it.

Text, title and metadata are kept as they are, control characters included: Neo4j stores and its full-text search reads
all of Unicode. Refused is what could not be stored or found again: a text without a visible character, halves of
surrogate pairs, control characters in ids and metadata names, nested metadata.
"""

import datetime
import hashlib
import json
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hipporag_neo4j.domain import MetadataValue, Passage
from hipporag_neo4j.errors import InputError

OnProblem = Callable[[InputError], None]
"""Called with what is wrong with one passage, which is then left out. Without one, the error is raised."""

_LARGEST_INTEGER = 2**63


class CountedProblems:
    """Counts what goes to `on_problem`; `handler` takes its place, and is None where there is none."""

    def __init__(self, on_problem: OnProblem | None) -> None:
        self.count = 0
        self._on_problem = on_problem
        self.handler: OnProblem | None = None if on_problem is None else self._handle

    def _handle(self, error: InputError) -> None:
        self.count += 1
        if self._on_problem is not None:
            self._on_problem(error)


def check_passages(passages: Iterable[Passage], on_problem: OnProblem | None = None) -> Iterator[Passage]:
    """Passages as `check_passage` returns them; errors say "passage N", counted from 1.

    Raises InputError, also where there is an `on_problem`, for what can't be gone through.
    """
    if not isinstance(passages, Iterable):
        raise InputError(f"The passages are {_kind(passages)}. Give a list of Passage objects, or the path of a file.")
    for number, passage in enumerate(passages, start=1):
        try:
            checked = check_passage(passage, f"Passage {number}")
        except InputError as error:
            report(error, on_problem)
        else:
            yield checked


def report(error: InputError, on_problem: OnProblem | None) -> None:
    """Hand the error to `on_problem`; raise it where there is none."""
    if on_problem is None:
        raise error
    on_problem(error)


def check_passage(passage: Any, place: str) -> Passage:
    """The passage with plain metadata: None and NaN dropped, dates as ISO texts, tuples as lists.

    Raises InputError, starting with `place`, where it can't be used.
    """
    if not isinstance(passage, Passage):
        raise InputError(f"{place} is {_kind(passage)}, not a Passage. Give Passage(text, id=…) objects.")
    _check_text(passage.text, f"{place}: the text")
    if not any(c.isprintable() and not c.isspace() for c in passage.text):
        raise InputError(f"{place}: the text is empty. Give it a text, or leave it out.")
    _check_text(passage.title, f"{place}: the title")
    for name, value in (("id", passage.id), ("document", passage.document)):
        if value is not None:
            _check_name(value, f"{place}: the {name}")
    if passage.part is not None and (isinstance(passage.part, bool) or not isinstance(passage.part, int)):
        raise InputError(f"{place}: the part is {_kind(passage.part)}, not a number.")
    return replace(passage, metadata=check_metadata(passage.metadata, place))


def check_metadata(metadata: Mapping[str, Any], place: str) -> dict[str, MetadataValue]:
    """Flat metadata: texts, numbers, booleans, or lists of one of these. Raises InputError that names the path."""
    if not isinstance(metadata, Mapping):
        raise InputError(f"{place}: the metadata is {_kind(metadata)}, not an object with names and values.")
    checked: dict[str, MetadataValue] = {}
    for name, value in metadata.items():
        _check_name(name, f"{place}: the metadata name {name!r}")
        path = f"metadata.{name}"
        plain = _value_or_list(value, path, place)
        if plain is not None:
            checked[name] = plain
    return checked


def passage_id(passage: Passage) -> str:
    """What identifies the passage across runs: the id it has, else the hash of its title and text."""
    return passage.id if passage.id is not None else text_hash(passage)


def text_hash(passage: Passage) -> str:
    """SHA-256 (64 hexadecimal digits) of title and text: what extraction and embedding depend on."""
    return _sha256([passage.title, passage.text])


def content_hash(passage: Passage) -> str:
    """SHA-256 of all that is stored besides the id: title, text, metadata in any order, document and part."""
    return _sha256([passage.title, passage.text, dict(passage.metadata), passage.document, passage.part])


def _sha256(content: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _check_text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise InputError(f"{what} is {_kind(value)}, not a text.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what} holds half of a surrogate pair (U+{ord(value[error.start]):04X}) at character {error.start}, "
            "which no file can store. Correct the program that wrote it."
        ) from error


def _check_name(value: Any, what: str) -> None:
    _check_text(value, what)
    if not value.strip():
        raise InputError(f"{what} is empty. Leave it out, or give it a name.")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        raise InputError(f"{what} is {value!r}, with control characters. Take them out.")


def _value_or_list(value: Any, path: str, place: str) -> MetadataValue | None:
    if not isinstance(value, list | tuple):
        return _value(value, path, place)
    items = [_value(item, f"{path}[{i}]", place) for i, item in enumerate(value)]
    kinds = {type(item) for item in items}
    if kinds == {int, float}:
        return [float(item) for item in items if isinstance(item, int | float)]
    if len(kinds) > 1 or type(None) in kinds:
        names = ", ".join(sorted({_kind(item) for item in items}))
        raise InputError(f"{place}: {path} mixes {names}. A list in metadata holds values of one kind.")
    return items  # type: ignore[return-value]  # all of one kind, checked above


def _value(value: Any, path: str, place: str) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        _check_text(value, f"{place}: {path}")
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, numbers.Integral):
        if not -_LARGEST_INTEGER <= int(value) < _LARGEST_INTEGER:
            raise InputError(f"{place}: {path} is {value}, more than 64 bits hold. Write it as a text.")
        return int(value)
    if isinstance(value, numbers.Real):
        if math.isinf(float(value)):
            raise InputError(f"{place}: {path} is infinite. Leave it out, or write it as a text.")
        return None if math.isnan(float(value)) else float(value)
    raise InputError(
        f"{place}: {path} is {_kind(value)}. Metadata is flat: texts, numbers, booleans, or lists of one of these. "
        "Lift the inner values to names of their own, or leave them out."
    )


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {str: "a text", bool: "a boolean", int: "a whole number", float: "a number", list: "a list"}
    names |= {tuple: "a list", dict: "an object"}
    return names.get(type(value), f"of type {type(value).__name__}")
