"""Recorded decisions of a language model about questions, so that a run can be repeated without one."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.read_questions import Question, explain_fields, read_entries

Fact = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a language model decided about one question.

    `named_entities` as it named them; `candidate_facts` what it was shown, `relevant_facts` what it kept of these, both
    as (subject, predicate, object); `looks` the same for further looks. None: nothing was recorded; (): it found none.
    """

    question: str
    id: str | None = None
    named_entities: tuple[str, ...] | None = None
    candidate_facts: tuple[Fact, ...] | None = None
    relevant_facts: tuple[Fact, ...] | None = None
    looks: tuple["RecordedLook", ...] | None = None

    @property
    def kept(self) -> tuple[Fact, ...] | None:
        """What it kept in any look, None where it was shown nothing."""
        if self.relevant_facts is None and self.looks is None:
            return None
        return (*(self.relevant_facts or ()), *(fact for look in self.looks or () for fact in look.relevant_facts))

    @property
    def shown(self) -> tuple[Fact, ...]:
        """What it was shown in any look."""
        return (*(self.candidate_facts or ()), *(fact for look in self.looks or () for fact in look.candidate_facts))


@dataclass(frozen=True, slots=True)
class RecordedLook:
    """What a language model was shown after a look, and what it kept of this."""

    candidate_facts: tuple[Fact, ...]
    relevant_facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions of one or several files, found by the question's text."""

    by_question: dict[str, Decision]
    sources: tuple[Path, ...] = ()

    def find(self, question: Question) -> Decision | None:
        """The decision recorded for a question, spaces at its ends aside, else None.

        Ids play no part: they repeat between test sets, and a decision about another wording is another decision.
        """
        return self.by_question.get(question.question.strip())


class _Look(BaseModel):
    candidate_facts: list[Fact] = []
    relevant_facts: list[Fact]


class _Entry(BaseModel):
    id: str | int | None = None
    question: str
    named_entities: list[str] | None = None
    candidate_facts: list[Fact] | None = None
    relevant_facts: list[Fact] | None = None
    looks: list[_Look] | None = None


def read_decisions(paths: Sequence[Path]) -> Decisions:
    """The decisions of all files; several may hold different parts of the decision about one question.

    Raises InputError, naming file and entry, for what can't be read, for a file that holds no decision, and where two
    files decide differently.
    """
    found: dict[str, Decision] = {}
    places: dict[str, str] = {}
    for path in paths:
        empty = True
        for value, place in read_entries(path, ("decisions", "data")):
            empty = False
            decision = _read_entry(value, place)
            key = decision.question.strip()
            joined = _join(found.get(key, decision), decision)
            if joined is None:
                raise InputError(
                    f"{place}: another decision about the question {key!r} than in {places[key]}. Give one of them."
                )
            found[key] = joined
            places.setdefault(key, place)
        if empty:
            raise InputError(
                f"{path} holds no decisions. It should be a list of "
                '{"question": …, "named_entities": […], "relevant_facts": […]}; leave it out to ask a language model.'
            )
    return Decisions(found, tuple(paths))


def _join(one: Decision, other: Decision) -> Decision | None:
    """Both decisions' parts in one, None where a part differs."""
    parts: dict[str, Any] = {}
    for part in fields(Decision):
        first, second = getattr(one, part.name), getattr(other, part.name)
        if part.name not in ("id", "question") and None not in (first, second) and first != second:
            return None
        parts[part.name] = second if first is None else first
    return Decision(**parts)


def _read_entry(value: object, place: str) -> Decision:
    if not isinstance(value, dict):
        raise InputError(
            f"{place}: a recorded decision was expected, and a {type(value).__name__} found. It should be "
            '{"question": …, "named_entities": […]}.'
        )
    try:
        entry = _Entry.model_validate(value)
    except ValidationError as error:
        raise explain_fields(error, place) from error
    recorded = [entry.named_entities, entry.candidate_facts, entry.relevant_facts, entry.looks]
    if all(part is None for part in recorded):
        raise InputError(
            f"{place}: nothing is decided: there is none of named_entities, candidate_facts, relevant_facts, looks. "
            "Is this a file of recorded decisions?"
        )
    return Decision(
        question=entry.question,
        id=None if entry.id is None else str(entry.id),
        named_entities=None if entry.named_entities is None else tuple(entry.named_entities),
        candidate_facts=None if entry.candidate_facts is None else tuple(entry.candidate_facts),
        relevant_facts=None if entry.relevant_facts is None else tuple(entry.relevant_facts),
        looks=None
        if entry.looks is None
        else tuple(RecordedLook(tuple(look.candidate_facts), tuple(look.relevant_facts)) for look in entry.looks),
    )
