"""The shapes in which a language model answers a question from passages, and thinks on the way to its answer."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator
from pydantic.json_schema import SkipJsonSchema

from hipporag_neo4j.answers import clean, ending_of, number_in, plain_key

_NO_ANSWER = frozenset({"", "null", "none", "na", "unknown", "noanswer", "notfound", "notavailable"})
"""What models write instead of null, letters alone. With passages it may be the answer: how many moons? None."""
_NOT_HELD = re.compile(r"(the answer is |it is |this is )?not (\w+ )?(in|by) (\w+ ){0,2}passages?")


class QuestionAnswer(BaseModel):
    """The answer to a question, None where the passages don't hold it, and the numbers of the passages it rests on.

    The numbers are as the model gave them; `unreadable` counts items that are no number.
    """

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    explanation: str
    answer: str | None
    passages: tuple[int, ...]
    unreadable: SkipJsonSchema[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        given = _fields(value, info, "answer")
        items = given.get("passages")
        items = list(items) if isinstance(items, list | tuple) else [] if items is None else [items]
        if ending_of(info) == "open text" and list(given)[-1] == "passages":
            items = items[:-1]  # it may be the beginning of a longer number
        numbers = [number_in(item) for item in items]
        known = tuple(dict.fromkeys(number for number in numbers if number is not None))
        explanation = given.get("explanation")
        return {
            "explanation": text_of(explanation) if isinstance(explanation, str) else "",
            "answer": _answer(given["answer"], rests=bool(known)),
            "passages": known,
            "unreadable": sum(number is None for number in numbers),
        }


class ThoughtAnswer(BaseModel):
    """The next thought on the way to an answer, and the answer once it is there; one of the two is there."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    thought: str
    answer: str | None

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        given = _fields(value, info, "thought")
        thought = given["thought"]
        answer = _answer(given.get("answer"), rests=False)
        thought = text_of(thought) if isinstance(thought, str) else ""
        if not thought and answer is None:
            raise ValueError("it holds neither a thought nor an answer")
        return {"thought": thought, "answer": answer}


def text_of(said: str) -> str:
    """What a model wrote, as a text that every database and terminal takes; its paragraphs stay."""
    return "\n".join(line for line in map(clean, said.splitlines()) if line)


def _fields(value: object, info: ValidationInfo, needed: str) -> dict[str, Any]:
    """The fields by their plain names, from the object or the only one wrapped in it.

    The last text of an answer that was cut off isn't trusted.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), dict):
        value = next(iter(value.values()))
    given = {plain_key(str(key)): held for key, held in value.items()} if isinstance(value, dict) else {}
    if needed not in given:
        raise ValueError(f"it holds no {needed}")
    if ending_of(info) == "open text" and list(given)[-1] == needed:
        raise ValueError(f"it was cut off in its {needed}")
    return given


def _answer(said: object, *, rests: bool) -> str | None:
    """The answer that was given, None for null and what is meant so; `rests`: passages were named for it."""
    if isinstance(said, bool):
        return "yes" if said else "no"
    if isinstance(said, list):
        said = ", ".join(str(part) for part in said if part is not None)
    if isinstance(said, int | float):
        said = str(said)
    if not isinstance(said, str):
        return None
    text = text_of(said)
    letters = re.sub(r"[\W_]", "", text.lower())
    if (letters in _NO_ANSWER and not (rests and letters)) or _NOT_HELD.fullmatch(text.lower().rstrip(".! ")):
        return None
    return text or None
