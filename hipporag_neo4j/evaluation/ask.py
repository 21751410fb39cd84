"""Ask one question of a test set: what is known about it is given along, the rest a language model decides."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hipporag_neo4j.domain import Look, Mode, RetrievalResult
from hipporag_neo4j.errors import NoLanguageModelError
from hipporag_neo4j.evaluation.measures import LIMIT
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import Question
from hipporag_neo4j.evaluation.replay import replay
from hipporag_neo4j.retrieval.filter_facts import FactFilter, Triplet, Verdict

FILTERED: tuple[Mode, ...] = ("hipporag2", "hybrid")
"""Modes in which somebody decides which facts bear on the question."""


class Retrieve(Protocol):
    """How a question is asked: `HippoRAG.retrieve` or a function like it."""

    def __call__(
        self,
        question: str,
        *,
        mode: Mode,
        limit: int,
        entities: Sequence[str] | None,
        looks: int,
        fact_filter: FactFilter | None,
    ) -> RetrievalResult: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What a language model answered from the passages that were found; None: they don't hold the answer.

    `problem` says, in one sentence, why no usable answer came. `from_cache`: it was kept from before, and cost nothing.
    """

    answer: str | None
    problem: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: bool = False


class Read(Protocol):
    """How the passages are read."""

    def __call__(self, question: str, retrieval: RetrievalResult) -> Reading: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table: a mode, or a variant of one under a name of its own.

    `retrieve` asks the questions in the variant's way; None: as the modes are asked. `warm` asks a question before the
    others, to load what is loaded once, where `retrieve` itself would ask a language model. `command` asks one
    question in the same way, without the question (`retrieve --mode dense`), () where no command does. `decided`:
    recorded decisions about facts count.
    """

    name: str
    mode: Mode
    retrieve: Retrieve | None = None
    warm: Retrieve | None = None
    command: tuple[str, ...] = ()
    decided: bool = True

    @classmethod
    def of(cls, mode: Mode) -> "Entry":
        """The entry of a mode."""
        return cls(mode, mode, command=("retrieve", "--mode", mode))


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back for a question: what was found and, where answers are wanted, what was read in it."""

    result: RetrievalResult
    reading: Reading | None = None

    @property
    def problem(self) -> str | None:
        """Why a language model gave no usable answer somewhere, None if it didn't fail."""
        problems = [look.problem for look in looks_of(self.result)]
        problems += [step.problem for step in self.result.steps if step.thought is None]
        if self.reading is not None:
            problems.append(self.reading.problem)
        return next(filter(None, problems), None)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks questions in any entry; `hybrid` with so many looks at facts.

    The entities of a question are the recorded ones, else those of the question file, else the language model names
    them; which facts bear on it, recorded decisions tell, else the language model. With `read` the passages are read
    for an answer.
    """

    retrieve: Retrieve
    decisions: Decisions | None = None
    looks: int = 1
    read: Read | None = None

    def ask(self, entry: Entry, question: Question) -> Asked:
        """What the entry finds. Raises NoLanguageModelError when nobody decides what has to be decided."""
        retrieve = entry.retrieve or self.retrieve
        entities = entities_of(question, self.decisions)
        result = self._ask(retrieve, entry, question, entities, self._recorded(question))
        if self.read is None:
            return Asked(result)
        start = time.perf_counter()
        reading = self.read(question.question, result)
        milliseconds = 1000 * (time.perf_counter() - start)
        total = result.timings.get("total", 0.0) + milliseconds
        return Asked(replace(result, timings={**result.timings, "read": milliseconds, "total": total}), reading)

    def warm_up(self, entry: Entry, question: Question) -> None:
        """Load what is loaded with the first question, and ask no language model: it would have to be paid twice."""
        retrieve = entry.warm or entry.retrieve or self.retrieve
        entities = entities_of(question, self.decisions) or (question.question,)
        self._ask(retrieve, entry, question, entities, self._recorded(question) or keep_all)

    def _recorded(self, question: Question) -> FactFilter | None:
        decision = self.decisions.find(question) if self.decisions is not None else None
        return replay(decision) if decision is not None else None

    def _ask(
        self,
        retrieve: Retrieve,
        entry: Entry,
        question: Question,
        entities: Sequence[str] | None,
        fact_filter: FactFilter | None,
    ) -> RetrievalResult:
        try:
            return retrieve(
                question.question,
                mode=entry.mode,
                limit=LIMIT,
                entities=entities,
                looks=self.looks if entry.mode == "hybrid" else 1,
                fact_filter=fact_filter,
            )
        except NoLanguageModelError as error:
            raise _undecided(entry, question) from error


def entities_of(question: Question, decisions: Decisions | None) -> tuple[str, ...] | None:
    """The recorded entities of a question, else those of its file; None where neither is known."""
    decision = decisions.find(question) if decisions is not None else None
    if decision is not None and decision.named_entities is not None:
        return decision.named_entities
    return question.entities


def looks_of(result: RetrievalResult) -> tuple[Look, ...]:
    """The looks at facts of all searches that were made for a question."""
    searches = [step.retrieval for step in result.steps if step.retrieval is not None] or [result]
    return tuple(look for search in searches for look in search.looks)


def keep_all(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
    """A fact filter that keeps whatever it is shown."""
    return Verdict(tuple(range(len(facts))))


def _undecided(entry: Entry, question: Question) -> NoLanguageModelError:
    """The error that says what nobody decides about a question, and what to give."""
    unknown, other = (
        ("which facts bear on it", ", or take --no-llm" if entry.mode == "hybrid" else "")
        if entry.mode in FILTERED and entry.decided
        else ("what it names", ", or `entities` in the question file")
    )
    return NoLanguageModelError(
        f"Question {question.id!r} can't be asked in {entry.name!r}: nothing says {unknown}, and no language model is "
        f"set. Set HIPPORAG_LLM_MODEL (with OPENAI_API_KEY or OPENAI_BASE_URL), or give recorded decisions that hold "
        f"the question (--query-decisions FILE){other}."
    )
