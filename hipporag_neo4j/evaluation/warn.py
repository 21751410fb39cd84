"""What has to be known beside the figures: where they would mislead without it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.evaluation.ask import FILTERED, looks_of
from hipporag_neo4j.evaluation.find_gold import FoundGold
from hipporag_neo4j.evaluation.query_decisions import Decisions
from hipporag_neo4j.evaluation.read_questions import GoldPassage, Question
from hipporag_neo4j.evaluation.replay import comparable
from hipporag_neo4j.evaluation.summarise import ModeResult
from hipporag_neo4j.retrieval.filter_facts import triplet


def refuse_foreign_questions(questions: Sequence[Question], found: FoundGold) -> None:
    """Raises InputError when the graph holds none of the gold passages."""
    if all(len(found.missing(question)) == len(question.gold) for question in questions):
        raise InputError(
            f"{_nobody(found)} none of the gold passages of these {len(questions)} questions, such as "
            f"{_described(questions[0].gold[0])}. Were they made for another corpus, or is this another namespace?"
        )


def _nobody(found: FoundGold) -> str:
    return f"The filter {found.where} allows" if found.where else "The graph holds"


def warnings_about(
    questions: Sequence[Question],
    found: FoundGold,
    decisions: Decisions | None,
    results: Mapping[str, ModeResult],
) -> Iterator[str]:
    """A sentence or two for each thing that the figures don't show."""
    yield from _synthetic(questions)
    yield from _missing(questions, found)
    yield from _unrecorded(questions, decisions)
    yield from _unseen(results, decisions)
    yield from _unanswered(questions, results)
    for name, result in results.items():
        yield from _fallbacks(name, result)
        yield from _problems(name, result)
        yield from _thoughts(name, result)
        yield from _decided_anew(name, result, decisions)
        yield from _stale(name, result)
        yield from _from_cache(name, result)


def _synthetic(questions: Sequence[Question]) -> Iterator[str]:
    if written := sum(question.synthetic for question in questions):
        yield (
            f"{written} of {len(questions)} questions are synthetic: a language model wrote them from facts of the "
            "graph, so what the graph lacks is never asked for, and figures are better than on people's questions."
        )


def _missing(questions: Sequence[Question], found: FoundGold) -> Iterator[str]:
    lacking = [(question, missing) for question in questions if (missing := found.missing(question))]
    if lacking:
        question, missing = lacking[0]
        or_filtered = f", or the filter {found.where} doesn't allow them" if found.where else ""
        yield (
            f"{sum(len(m) for _, m in lacking)} of {sum(len(q.gold) for q in questions)} gold passages, of "
            f"{len(lacking)} questions, are not in the graph{or_filtered}; they count as not found. First: question "
            f"{question.id!r}, {_described(missing[0])}."
        )


def _unrecorded(questions: Sequence[Question], decisions: Decisions | None) -> Iterator[str]:
    unrecorded = [q for q in questions if decisions is not None and decisions.find(q) is None]
    if decisions is not None and unrecorded:
        yield (
            f"{len(unrecorded)} of {len(questions)} questions have no recorded decision in "
            f"{', '.join(map(str, decisions.sources)) or 'what was given'}; first: {unrecorded[0].id!r}."
        )


def _unseen(results: Mapping[str, ModeResult], decisions: Decisions | None) -> Iterator[str]:
    """Facts that were shown now and not when the decisions were recorded: nobody knows what would have been kept."""
    for name, result in results.items():
        shown = unseen = 0
        for outcome in result.outcomes:
            decision = decisions.find(outcome.question) if decisions is not None else None
            if decision is None or decision.kept is None or not result.entry.decided:
                continue
            seen = set(map(comparable, decision.shown))
            facts = [comparable(triplet(fact)) for look in outcome.result.looks for fact in look.shown]
            shown += len(facts)
            unseen += sum(fact not in seen for fact in facts)
        if unseen:
            yield f"{name}: {unseen:,} of {shown:,} facts shown are in no recorded look; they count as not kept."


def _unanswered(questions: Sequence[Question], results: Mapping[str, ModeResult]) -> Iterator[str]:
    without = sum(not question.right_answers for question in questions)
    if without and any(result.answers for result in results.values()):
        yield (
            f"{without} of {len(questions)} questions have no answer in the question file; they are left out of exact "
            "match and F1."
        )


def _fallbacks(name: str, result: ModeResult) -> Iterator[str]:
    reasons = Counter(outcome.result.fallback for outcome in result.outcomes if outcome.result.fallback)
    if reasons:
        ((reason, times),) = reasons.most_common(1)
        yield (
            f"{name}: dense search answered {_share(result.fallbacks, len(result.outcomes))} questions instead. "
            + (f"Most often ({times}): {reason}" if times > 1 else f"First: {reason}")
        )


def _problems(name: str, result: ModeResult) -> Iterator[str]:
    """A failing model must not look like a poor mode."""
    looks = [look.problem for outcome in result.outcomes for look in looks_of(outcome.result) if look.problem]
    if looks:
        yield f"{name}: {_share(len(looks), result.looks)} looks at facts had no usable answer. First: {looks[0]}"
    readings = [o.reading.problem for o in result.outcomes if o.reading is not None and o.reading.problem]
    if readings:
        yield f"{name}: {_share(len(readings), len(result.outcomes))} answers can't be used. First: {readings[0]}"


def _thoughts(name: str, result: ModeResult) -> Iterator[str]:
    ended = [step.problem for outcome in result.outcomes for step in outcome.result.steps if step.problem]
    if ended:
        yield f"{name}: {_share(len(ended), len(result.outcomes))} searches by steps ended early. First: {ended[0]}"


def _decided_anew(name: str, result: ModeResult, decisions: Decisions | None) -> Iterator[str]:
    """Searches by steps take recorded entities and no recorded facts, so they don't compare with what replays both."""
    by_steps = any(outcome.result.steps for outcome in result.outcomes)
    if decisions is not None and result.mode in FILTERED and by_steps:
        yield f"{name}: the language model decided which facts bear on a question; recorded decisions don't count."


def _stale(name: str, result: ModeResult) -> Iterator[str]:
    if result.stale:
        yield (
            f"{name}: {_share(result.stale, len(result.outcomes))} rankings are from before the graph's last change. "
            "Evaluate when nothing is being written."
        )


def _from_cache(name: str, result: ModeResult) -> Iterator[str]:
    answers = [(o.result.from_cache, o.reading is not None and o.reading.from_cache) for o in result.outcomes]
    if kept := sum(map(any, answers)):
        yield (
            f"{name}: for {_share(kept, len(result.outcomes))} questions the language model's answers came from the "
            "cache, so the latency lacks its time; --no-cache measures it."
        )


def _share(part: int, whole: int) -> str:
    """`3 of 100 (3 %)`."""
    return f"{part:,} of {whole:,} ({100 * part / whole:.0f} %)"


def _described(gold: GoldPassage) -> str:
    if gold.id is not None:
        return f"the passage with id {gold.id!r}"
    return f"the passage {gold.title!r}" + (f", {gold.text[:60]!r}" if gold.text else "")
