"""Ask every question in every mode, and measure what was found and how long it took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hipporag_neo4j.domain import Mode
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import Asked, Asker, Entry, Read, Retrieve
from hipporag_neo4j.evaluation.compare import COMPARED_BY, Comparison, compare
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.judge import judge
from hipporag_neo4j.evaluation.outcomes_file import OutcomesFile
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import Question
from hipporag_neo4j.evaluation.sampling import Sampling
from hipporag_neo4j.evaluation.summarise import ModeResult, summarise
from hipporag_neo4j.evaluation.warn import refuse_foreign_questions, warnings_about

_USUAL = Sampling()
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
    comparisons: tuple[Comparison, ...] = ()
    sampling: Sampling = _USUAL


def run(
    retrieve: Retrieve,
    find_gold: Callable[[Sequence[Question]], FoundGold],
    questions: Sequence[Question],
    entries: Sequence[Entry | Mode],
    *,
    decisions: Decisions | None = None,
    looks: int = 1,
    read: Read | None = None,
    compared: Sequence[tuple[str, str]] = (),
    sampling: Sampling = _USUAL,
    outcomes: OutcomesFile | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask all questions in all entries, entry after entry; `hybrid` with so many looks at facts.

    With `read` the passages found are read for answers, which are judged too. `compared` pairs names of entries;
    `outcomes` keeps what is answered as it comes, and what it holds already isn't asked again.

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
    asker = Asker(retrieve, decisions, looks, read)
    results = {}
    for entry in chosen:
        asked = _ask_all(asker, entry, questions, outcomes, progress)
        judged = [judge(question, one, found) for question, one in zip(questions, asked, strict=True)]
        results[entry.name] = summarise(entry, judged, sampling)
    return Evaluation(
        modes=results,
        questions=len(questions),
        gold=sum(len(question.gold) for question in questions),
        missing=sum(len(found.missing(question)) for question in questions),
        warnings=tuple(warnings_about(questions, found, decisions, results)),
        comparisons=tuple(
            compare(results[first], results[second], sampling, score)
            for first, second in compared
            for score in COMPARED_BY
            if score in results[first].means and score in results[second].means
        ),
        sampling=sampling,
    )


def _distinct(entries: Sequence[Entry | Mode]) -> list[Entry]:
    """One entry a name, the first."""
    distinct: dict[str, Entry] = {}
    for given in entries:
        entry = given if isinstance(given, Entry) else Entry.of(given)
        distinct.setdefault(entry.name, entry)
    return list(distinct.values())


def _ask_all(
    asker: Asker,
    entry: Entry,
    questions: Sequence[Question],
    outcomes: OutcomesFile | None,
    progress: Progress | None,
) -> list[Asked]:
    """What comes back for each question, from the file or from the entry."""
    answered = []
    warm = False
    for number, question in enumerate(questions, start=1):
        asked = outcomes.find(entry, question) if outcomes is not None else None
        if asked is None:
            if not warm:
                asker.warm_up(entry, question)
                warm = True
            asked = asker.ask(entry, question)
            if outcomes is not None:
                outcomes.add(entry, question, asked)
        answered.append(asked)
        if progress is not None:
            progress(entry.name, number, len(questions))
    return answered
