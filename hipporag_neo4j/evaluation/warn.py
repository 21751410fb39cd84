"""What has to be known beside the figures: where they would mislead without it."""

from collections.abc import Iterator, Mapping, Sequence

from hipporag_neo4j.errors import InputError
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
            f"The graph holds none of the gold passages of these {len(questions)} questions, such as "
            f"{_described(questions[0].gold[0])}. Were they made for another corpus, or is this another namespace?"
        )


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
    yield from _problems(results)


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
        yield (
            f"{sum(len(m) for _, m in lacking)} of {sum(len(q.gold) for q in questions)} gold passages, of "
            f"{len(lacking)} questions, are not in the graph; they count as not found. First: question "
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
            if decision is None or decision.kept is None:
                continue
            seen = set(map(comparable, decision.shown))
            facts = [comparable(triplet(fact)) for look in outcome.result.looks for fact in look.shown]
            shown += len(facts)
            unseen += sum(fact not in seen for fact in facts)
        if unseen:
            yield f"{name}: {unseen:,} of {shown:,} facts shown are in no recorded look; they count as not kept."


def _problems(results: Mapping[str, ModeResult]) -> Iterator[str]:
    for name, result in results.items():
        problems = [look.problem for outcome in result.outcomes for look in outcome.result.looks if look.problem]
        if problems:
            yield f"{name}: {len(problems)} looks had no usable answer. First: {problems[0]}"


def _described(gold: GoldPassage) -> str:
    if gold.id is not None:
        return f"the passage with id {gold.id!r}"
    return f"the passage {gold.title!r}" + (f", {gold.text[:60]!r}" if gold.text else "")
