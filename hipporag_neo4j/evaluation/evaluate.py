"""Ask every question in every mode, and measure what was found and how long it took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import ConfigurationError, InputError
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.measures import all_recall_at, mean, percentile, recall_at
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question
from hipporag_neo4j.evaluation.replay import comparable, replay
from hipporag_neo4j.retrieval.filter_facts import FactFilter, triplet

RECALL_AT = (2, 5, 10)
ALL_RECALL_AT = (5, 10)
FILTERED: tuple[Mode, ...] = ("hipporag2", "hybrid")
"""Modes in which somebody decides which facts bear on the question."""
LIMIT = max(*RECALL_AT, *ALL_RECALL_AT)


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
class Latency:
    """How long a stage takes, in milliseconds, over the questions in which it ran; `share` of the mode's whole time."""

    p50: float
    p95: float
    share: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question in one mode. `recall` and `all_recall` (0 to 1) by cut-off; `missing`: gold the graph lacks."""

    question: Question
    result: RetrievalResult
    recall: Mapping[int, float]
    all_recall: Mapping[int, float]
    missing: tuple[GoldPassage, ...]


@dataclass(frozen=True, slots=True)
class ModeResult:
    """One mode over all questions: means of recall by cut-off, latency by stage, and the outcomes behind them.

    `fallbacks`: questions that dense search answered instead; `stale`: answers from an outdated projection.
    """

    mode: Mode
    recall: Mapping[int, float]
    all_recall: Mapping[int, float]
    latency: Mapping[str, Latency]
    fallbacks: int
    stale: int
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All modes over the same questions. `gold` passages are counted once a question, `missing` of them in no graph."""

    modes: Mapping[Mode, ModeResult]
    questions: int
    gold: int
    missing: int
    warnings: tuple[str, ...] = ()


def run(
    retrieve: Retrieve,
    find_gold: Callable[[Sequence[Question]], FoundGold],
    questions: Sequence[Question],
    modes: Sequence[Mode],
    *,
    decisions: Decisions | None = None,
    looks: int = 1,
    progress: Callable[[Mode, int, int], None] | None = None,
) -> Evaluation:
    """Ask all questions in all modes, mode after mode; `hybrid` with so many looks at facts.

    The entities of a question are the recorded ones, else those of the question file, else the language model names
    them; which facts bear on it, recorded decisions tell, else the language model. Each mode answers the first question
    once before it is measured, so that loading a model or making a projection doesn't count as latency. `progress` gets
    the mode, the questions answered in it, and their number.

    Any error of `retrieve` ends the run: what wasn't answered is never counted as not found. Raises InputError when
    there is no question or the graph holds none of the gold passages, ConfigurationError when a question's entities
    are neither given nor to be had from a language model.
    """
    if not questions or not modes:
        raise InputError("There is nothing to evaluate: give at least one question and one mode.")
    found = find_gold(questions)
    _refuse_foreign_questions(questions, found)
    results = {
        mode: _run_mode(retrieve, found, questions, mode, decisions, looks, progress) for mode in dict.fromkeys(modes)
    }
    return Evaluation(
        modes=results,
        questions=len(questions),
        gold=sum(len(question.gold) for question in questions),
        missing=sum(len(found.missing(question)) for question in questions),
        warnings=(
            *_missing_warning(questions, found),
            *_decision_warning(questions, decisions),
            *_unseen_warnings(results, decisions),
            *_problem_warnings(results),
        ),
    )


def _run_mode(
    retrieve: Retrieve,
    found: FoundGold,
    questions: Sequence[Question],
    mode: Mode,
    decisions: Decisions | None,
    looks: int,
    progress: Callable[[Mode, int, int], None] | None,
) -> ModeResult:
    _ask(retrieve, questions[0], mode, decisions, looks)
    outcomes = []
    for number, question in enumerate(questions, start=1):
        result = _ask(retrieve, question, mode, decisions, looks)
        outcomes.append(_judge(question, result, found))
        if progress is not None:
            progress(mode, number, len(questions))
    return ModeResult(
        mode=mode,
        recall={k: mean([outcome.recall[k] for outcome in outcomes]) for k in RECALL_AT},
        all_recall={k: mean([outcome.all_recall[k] for outcome in outcomes]) for k in ALL_RECALL_AT},
        latency=latency_by_stage([outcome.result.timings for outcome in outcomes]),
        fallbacks=sum(outcome.result.fell_back for outcome in outcomes),
        stale=sum(outcome.result.stale for outcome in outcomes),
        outcomes=tuple(outcomes),
    )


def _ask(
    retrieve: Retrieve, question: Question, mode: Mode, decisions: Decisions | None, looks: int
) -> RetrievalResult:
    entities = entities_of(question, decisions)
    decision = decisions.find(question) if decisions is not None else None
    fact_filter = replay(decision) if decision is not None else None
    try:
        return retrieve(
            question.question, mode=mode, limit=LIMIT, entities=entities, looks=looks, fact_filter=fact_filter
        )
    except ConfigurationError as error:
        if mode in FILTERED and fact_filter is None:
            raise ConfigurationError(
                f"Question {question.id!r} can't be asked in mode {mode!r}: nothing says which facts bear on it. Give "
                f"recorded decisions that hold it (--query-decisions FILE). {error}"
            ) from error
        if entities is not None:
            raise
        raise ConfigurationError(
            f"Question {question.id!r} can't be asked in mode {mode!r}: nothing says what it names. Give recorded "
            f"decisions that hold it (--query-decisions FILE), or `entities` in the question file. {error}"
        ) from error


def entities_of(question: Question, decisions: Decisions | None) -> tuple[str, ...] | None:
    """The recorded entities of a question, else those of its file; None where neither is known."""
    decision = decisions.find(question) if decisions is not None else None
    if decision is not None and decision.named_entities is not None:
        return decision.named_entities
    return question.entities


def _judge(question: Question, result: RetrievalResult, found: FoundGold) -> Outcome:
    ranking = [passage.id for passage in result.passages]
    gold = found.of(question)
    return Outcome(
        question=question,
        result=result,
        recall={k: recall_at(ranking, gold, k) for k in RECALL_AT},
        all_recall={k: all_recall_at(ranking, gold, k) for k in ALL_RECALL_AT},
        missing=found.missing(question),
    )


def latency_by_stage(timings: Sequence[Mapping[str, float]]) -> dict[str, Latency]:
    """p50, p95 and share of each stage, in the order in which stages first appear; `total`, the whole, comes last.

    `timings` holds milliseconds by stage, one mapping a question. A question in which a stage didn't run says nothing
    about it. Shares are of the sum of all `total`s, 0 where that is 0.
    """
    whole = sum(timing.get("total", 0.0) for timing in timings)
    stages = dict.fromkeys(stage for timing in timings for stage in timing)
    ordered = [*(stage for stage in stages if stage != "total"), *(["total"] if "total" in stages else [])]
    latency = {}
    for stage in ordered:
        values = [timing[stage] for timing in timings if stage in timing]
        share = sum(values) / whole if whole else 0.0
        latency[stage] = Latency(percentile(values, 0.5), percentile(values, 0.95), share)
    return latency


def _refuse_foreign_questions(questions: Sequence[Question], found: FoundGold) -> None:
    if all(len(found.missing(question)) == len(question.gold) for question in questions):
        raise InputError(
            f"The graph holds none of the gold passages of these {len(questions)} questions, such as "
            f"{_described(questions[0].gold[0])}. Were they made for another corpus, or is this another namespace?"
        )


def _missing_warning(questions: Sequence[Question], found: FoundGold) -> list[str]:
    lacking = [(question, missing) for question in questions if (missing := found.missing(question))]
    if not lacking:
        return []
    question, missing = lacking[0]
    return [
        f"{sum(len(m) for _, m in lacking)} of {sum(len(q.gold) for q in questions)} gold passages, of "
        f"{len(lacking)} questions, are not in the graph; they count as not found. First: question {question.id!r}, "
        f"{_described(missing[0])}."
    ]


def _decision_warning(questions: Sequence[Question], decisions: Decisions | None) -> list[str]:
    if decisions is None:
        return []
    unrecorded = [question for question in questions if decisions.find(question) is None]
    if not unrecorded:
        return []
    return [
        f"{len(unrecorded)} of {len(questions)} questions have no recorded decision in "
        f"{', '.join(map(str, decisions.sources)) or 'what was given'}; first: {unrecorded[0].id!r}."
    ]


def _unseen_warnings(results: Mapping[Mode, ModeResult], decisions: Decisions | None) -> list[str]:
    """Facts that were shown now and not when the decisions were recorded: nobody knows what would have been kept."""
    warnings = []
    for mode, result in results.items():
        shown = unseen = 0
        for outcome in result.outcomes:
            decision = decisions.find(outcome.question) if decisions is not None else None
            if decision is None or decision.kept is None:
                continue
            seen = set(map(comparable, decision.shown))
            facts = [comparable(triplet(fact)) for look in outcome.result.looks for fact in look.shown]
            shown += len(facts)
            unseen += sum(fact not in seen for fact in facts)
        if unseen:
            warnings.append(
                f"{mode}: {unseen:,} of {shown:,} facts shown are in no recorded look; they count as not kept."
            )
    return warnings


def _problem_warnings(results: Mapping[Mode, ModeResult]) -> list[str]:
    warnings = []
    for mode, result in results.items():
        problems = [look.problem for outcome in result.outcomes for look in outcome.result.looks if look.problem]
        if problems:
            warnings.append(f"{mode}: {len(problems)} looks had no usable answer. First: {problems[0]}")
    return warnings


def _described(gold: GoldPassage) -> str:
    if gold.id is not None:
        return f"the passage with id {gold.id!r}"
    return f"the passage {gold.title!r}" + (f", {gold.text[:60]!r}" if gold.text else "")
