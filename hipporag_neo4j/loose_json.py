"""JSON in the raw text of a language model: between prose and fences, several in a row, broken, or cut off."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["whole", "open list", "open text"]

LONGEST_MENDED = 20_000
"""Characters from which broken JSON isn't mended: unbalanced quotes cost json-repair quadratic time (20 s here)."""

# Numbers stay as they are spelled; NaN and Infinity are no values.
_DECODER = json.JSONDecoder(
    strict=False,
    parse_float=str,
    parse_int=str,
    parse_constant=lambda _: None,
    object_pairs_hook=lambda pairs: _object(pairs),
)
_FENCE_LINE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_OPENER = re.compile(r"[\[{]")
_LIKE_JSON = re.compile(r"""[\[{]\s*(["'“\[{(\]}]|\w+\s*:|$)""")
_BARE_NAN = re.compile(r"(?<=[\[,:\s])-?(NaN|Infinity)(?=\s*[,\]}])")
_MOST_FAILURES = 100  # brackets in prose; each costs time in proportion to the text
_BETWEEN_DOCUMENTS = re.compile(r"[\s,;]*")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value found in a text. Documents in a row, with nothing but commas and space between, are one list.

    `ending` says how the text stopped: `whole`, inside a list or object that was never closed (its last text is
    whole), or inside a text.
    """

    value: Any
    ending: Ending


@dataclass(frozen=True, slots=True)
class _Found:
    value: Any
    ending: Ending
    start: int
    end: int


def find_documents(raw: str, *, truncated: bool = False) -> Iterator[Document]:
    """The JSON documents in `raw`, the likeliest answer first: objects before bare lists, later before earlier.

    A model that thinks aloud or repeats the question's example gives its answer last. `truncated`: the text is known
    to be cut off. What is broken is mended by json-repair.
    """
    text = _FENCE_LINE.sub("", _without_thinking(raw))
    groups = _in_rows(list(_scan(text, truncated)), text)
    for wanted in (dict, list):
        for group in reversed(groups):
            if isinstance(group[0].value, wanted):
                value = group[0].value if len(group) == 1 else [found.value for found in group]
                yield Document(value, group[-1].ending)


def _scan(text: str, truncated: bool) -> Iterator[_Found]:
    position = failures = 0
    while failures < _MOST_FAILURES and (opener := _OPENER.search(text, position)):
        start = opener.start()
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _LIKE_JSON.match(text, start):
                yield from _mend(text, start, truncated)
                return
            position, failures = start + 1, failures + 1
        else:
            yield _Found(value, "whole", start, position)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; lists under the same key are joined, where JSON would keep the last alone."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        before = made.get(key)
        made[key] = before + value if isinstance(before, list) and isinstance(value, list) else value
    return made


def _mend(text: str, start: int, truncated: bool) -> Iterator[_Found]:
    if len(text) - start > LONGEST_MENDED:
        return
    # Imported late: importing this package must stay quick, and most answers need no mending.
    import json_repair

    broken = _BARE_NAN.sub("null", text[start:])
    try:
        value = json_repair.loads(broken, skip_json_loads=True)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield _Found(value, _ending(broken, truncated), start, len(text))


def _ending(broken: str, truncated: bool) -> Ending:
    kept = broken.rstrip().removesuffix("```").rstrip(" \t\r\n,")
    inside_text = len(re.findall(r'(?<!\\)"', kept)) % 2 == 1
    if kept.endswith(("]", "}")):
        return "open text" if truncated and inside_text else "whole"
    return "open list" if kept.endswith('"') and not inside_text else "open text"


def _in_rows(found: list[_Found], text: str) -> list[list[_Found]]:
    rows: list[list[_Found]] = []
    for one in found:
        if rows and _BETWEEN_DOCUMENTS.fullmatch(text, rows[-1][-1].end, one.start):
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _without_thinking(raw: str) -> str:
    """The text after a reasoning model's thoughts; nothing when they never ended."""
    if raw.lstrip().startswith("<think>"):
        return raw.partition("</think>")[2]
    if not raw.lstrip().startswith(("{", "[")):
        return raw.rpartition("</think>")[2]
    return raw
