"""Ask every question in every mode, and measure what was found and how long it took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import Mode
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import Asker, Entry, Retrieve
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.judge import judge
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import Question
from hipporag_neo4j.evaluation.summarise import ModeResult, summarise
from hipporag_neo4j.evaluation.warn import refuse_foreign_questions, warnings_about

Progress = Callable[[str, int, int], None]
"""Gets the name of an entry, the questions answered in it, and their number."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All entries, by name, over the same questions. `gold` passages are counted once a question, `missing` of them in
    no graph."""

    modes: Mapping[str, ModeResult]
    questions: int
    gold: int
    missing: int
    warnings: tuple[str, ...] = ()


def run(
    retrieve: Retrieve,
    find_gold: Callable[[Sequence[Question]], FoundGold],
    questions: Sequence[Question],
    entries: Sequence[Entry | Mode],
    *,
    decisions: Decisions | None = None,
    looks: int = 1,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask all questions in all entries, entry after entry; `hybrid` with so many looks at facts.

    A mode stands for the entry of its name. Each entry answers one question before it is measured, so that loading a
    model or making a projection doesn't count as latency; no language model is asked for that.

    Any error of `retrieve` ends the run: what wasn't answered is never counted as not found. Raises InputError when
    there is no question or the graph holds none of the gold passages, and NoLanguageModelError when a question's
    entities or facts are neither given nor to be had from a language model.
    """
    chosen = _distinct(entries)
    if not questions or not chosen:
        raise InputError("There is nothing to evaluate: give at least one question and one mode.")
    found = find_gold(questions)
    refuse_foreign_questions(questions, found)
    asker = Asker(retrieve, decisions, looks)
    results = {entry.name: _run_entry(asker, entry, found, questions, progress) for entry in chosen}
    return Evaluation(
        modes=results,
        questions=len(questions),
        gold=sum(len(question.gold) for question in questions),
        missing=sum(len(found.missing(question)) for question in questions),
        warnings=tuple(warnings_about(questions, found, decisions, results)),
    )


def _distinct(entries: Sequence[Entry | Mode]) -> list[Entry]:
    """One entry a name, the first."""
    distinct: dict[str, Entry] = {}
    for given in entries:
        entry = given if isinstance(given, Entry) else Entry(given, given)
        distinct.setdefault(entry.name, entry)
    return list(distinct.values())


def _run_entry(
    asker: Asker, entry: Entry, found: FoundGold, questions: Sequence[Question], progress: Progress | None
) -> ModeResult:
    asker.warm_up(entry, questions[0])
    outcomes = []
    for number, question in enumerate(questions, start=1):
        outcomes.append(judge(question, asker.ask(entry, question), found))
        if progress is not None:
            progress(entry.name, number, len(questions))
    return summarise(entry, outcomes)
