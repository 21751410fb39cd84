"""An answer shown to a person while the model writes it: JSON comes in, plain text goes out."""

import re
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

from hipporag_neo4j.answering.shapes import QuestionAnswer, text_of

NOT_HELD = "The passages don't hold the answer."
ONCE_MORE = "\n\n(That was no usable answer; the model is asked once more.)\n\n"

_OBJECT = re.compile(r'\{\s*"')
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURELY_AN_ANSWER = 80
"""Characters from which an answer that isn't whole yet can't be one of the ways to say that there is none."""


class ShownAnswer:
    """A Listener that hands the explanation on as it is written, and then the answer, as `Answer: …`.

    `on_text` gets pieces that, joined, are the text. What doesn't look like the expected JSON is shown when it has been
    read, by `finish`. A second attempt, after something was shown, is announced.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._raw = ""
        self._told = ""
        self._shown = False

    @property
    def shown(self) -> bool:
        """Whether something has been shown."""
        return self._shown

    def begin(self) -> None:
        """An attempt begins."""
        if self._told:
            self._on_text(ONCE_MORE)
        self._raw = self._told = ""

    def hear(self, piece: str) -> None:
        """Show what can be read so far."""
        self._raw += piece
        self._tell(_text_so_far(self._raw))

    def finish(self, answer: QuestionAnswer) -> None:
        """Show the rest of the answer that was read."""
        self._tell(text_for_people(answer), at_last=True)

    def _tell(self, text: str, *, at_last: bool = False) -> None:
        rest = _rest(self._told, text)
        if rest is None:  # what was read in the end isn't what could be read on the way
            if not at_last:
                return
            rest = f"\n\n{text}"
        if rest:
            self._shown = True
            self._told += rest
            self._on_text(rest)


def text_for_people(answer: QuestionAnswer) -> str:
    """The explanation, and below it the answer, or that there is none."""
    said = NOT_HELD if answer.answer is None else f"Answer: {answer.answer}"
    return "\n\n".join(filter(None, [answer.explanation, said]))


def _text_so_far(raw: str) -> str:
    """What can be read in the beginning of an answer."""
    given = _fields_so_far(raw)
    explanation, answer = given.get("explanation"), given.get("answer")
    text = text_of(explanation) if isinstance(explanation, str) else ""
    if text and isinstance(answer, str) and len(answer) > _SURELY_AN_ANSWER:
        text = f"{text}\n\nAnswer: {text_of(answer)}"
    return text


def _fields_so_far(raw: str) -> dict[str, Any]:
    if raw.lstrip().startswith("<think>") and "</think>" not in raw:
        return {}
    said = raw.rpartition("</think>")[2]
    begin = _OBJECT.search(said)
    if begin is None:
        return {}
    try:
        value = from_json(_CONTROL.sub(" ", said[begin.start() :]), allow_partial="trailing-strings")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _rest(told: str, text: str) -> str | None:
    """What of the text comes after what was told, white space apart; None where it doesn't begin so."""
    position = 0
    for character in told:
        if character.isspace():
            continue
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text) or text[position] != character:
            return None
        position += 1
    return text[position:]
