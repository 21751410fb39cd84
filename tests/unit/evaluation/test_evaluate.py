"""A whole run over questions whose rankings are known, and what is reported of it."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from hipporag_neo4j.domain import Fact, Look, Mode, RankedPassage, RetrievalResult, Step
from hipporag_neo4j.errors import ConfigurationError, InputError, NoLanguageModelError, ServerUnavailableError
from hipporag_neo4j.evaluation import (
    Decision,
    Decisions,
    Entry,
    Evaluation,
    FoundGold,
    GoldPassage,
    Question,
    Reading,
    run,
    summary,
    to_json,
    to_latency_table,
    to_table,
)
from hipporag_neo4j.evaluation.summarise import latency_by_stage
from hipporag_neo4j.retrieval.filter_facts import FactFilter

ALL = frozenset("abcdefghijklmnopqrst")
ORDER = {"dense": "abcdefghijklmnopqrst", "hipporag1": "tabcdefghijklmnopqrs"}


def question(id_: str, *gold: str, entities: tuple[str, ...] | None = ("Ada",)) -> Question:
    return Question(id_, f"Question {id_}?", tuple(GoldPassage(id=g) for g in gold), entities=entities)


QUESTIONS = (question("1", "a", "b"), question("2", "c", "t"), question("3", "i", "j", "x", "a"))


def find_gold(questions: Sequence[Question]) -> FoundGold:
    """The graph holds a to t."""
    return FoundGold({gold: frozenset({gold.id or ""}) & ALL for q in questions for gold in q.gold})


class Retriever:
    """Answers in a fixed order, and keeps what it was asked."""

    def __init__(self, timings: Mapping[str, float] | None = None) -> None:
        self.asked: list[tuple[str, str, Sequence[str] | None]] = []
        self._timings = timings or {"search": 2.0, "total": 8.0}

    def __call__(
        self,
        question: str,
        *,
        mode: Mode,
        limit: int,
        entities: Sequence[str] | None,
        looks: int,
        fact_filter: FactFilter | None,
    ) -> RetrievalResult:
        self.asked.append((question, mode, entities))
        ranked = [RankedPassage(id=id_, title=id_, text="", score=1.0) for id_ in ORDER[mode][:limit]]
        fallback = "No entity." if mode == "hipporag1" and "2" in question else None
        return RetrievalResult(question, mode, tuple(ranked), timings=self._timings, fallback=fallback)


def evaluation() -> Evaluation:
    return run(Retriever(), find_gold, QUESTIONS, ["hipporag1", "dense"])


def test_recall_by_hand() -> None:
    dense = evaluation().modes["dense"]
    # 1: a b of two; 2: c of two; 3: a of four (x is in no graph, i and j are 9th and 10th).
    assert dense.recall == {2: pytest.approx((1 + 0 + 1 / 4) / 3), 5: pytest.approx((1 + 1 / 2 + 1 / 4) / 3),
                            10: pytest.approx((1 + 1 / 2 + 3 / 4) / 3)}  # fmt: skip
    assert dense.all_recall == {5: pytest.approx(1 / 3), 10: pytest.approx(1 / 3)}
    hipporag1 = evaluation().modes["hipporag1"]
    assert hipporag1.recall[2] == pytest.approx((1 / 2 + 1 / 2 + 1 / 4) / 3)
    assert hipporag1.all_recall[5] == pytest.approx(2 / 3)
    assert (hipporag1.fallbacks, dense.fallbacks) == (1, 0)
    assert [outcome.recall[2] for outcome in hipporag1.outcomes] == [0.5, 0.5, 0.25]


def test_gold_that_the_graph_lacks_is_reported() -> None:
    done = evaluation()
    assert (done.gold, done.missing) == (8, 1)
    warning = done.warnings[0]
    assert "1 of 8 gold passages, of 1 questions, are not in the graph" in warning
    assert "question '3', the passage with id 'x'" in warning
    assert [len(outcome.missing) for outcome in done.modes["dense"].outcomes] == [0, 0, 1]


def test_a_graph_without_any_of_the_gold_is_an_error() -> None:
    retriever = Retriever()
    with pytest.raises(InputError, match=r"holds none of the gold passages of these 1 questions, such as .*'y'"):
        run(retriever, find_gold, [question("1", "y", "z")], ["dense"])
    assert not retriever.asked


def test_the_first_question_of_a_mode_is_asked_once_before_it_counts() -> None:
    retriever = Retriever()
    seen: list[tuple[str, int, int]] = []
    done = run(retriever, find_gold, QUESTIONS, ["dense"], progress=lambda *report: seen.append(report))
    assert [asked[0] for asked in retriever.asked] == [f"Question {n}?" for n in (1, 1, 2, 3)]
    assert seen == [("dense", 1, 3), ("dense", 2, 3), ("dense", 3, 3)]
    assert len(done.modes["dense"].outcomes) == 3


def test_a_mode_given_twice_runs_once() -> None:
    retriever = Retriever()
    run(retriever, find_gold, QUESTIONS, ["dense", "dense"])
    assert len(retriever.asked) == 4


def test_recorded_entities_come_before_those_of_the_file() -> None:
    retriever = Retriever()
    recorded = {
        "Question 1?": Decision("Question 1?", named_entities=("Charles",)),
        "Question 2?": Decision("Question 2?", named_entities=()),
        "Question 3?": Decision("Question 3?", relevant_facts=()),
    }
    done = run(retriever, find_gold, QUESTIONS, ["dense"], decisions=Decisions(recorded))
    assert [asked[2] for asked in retriever.asked[1:]] == [("Charles",), (), ("Ada",)]
    assert len(done.warnings) == 1


def test_questions_without_a_recorded_decision_are_counted() -> None:
    decisions = Decisions({"Question 1?": Decision("Question 1?", named_entities=("Charles",))})
    done = run(Retriever(), find_gold, QUESTIONS[:2], ["dense"], decisions=decisions)
    assert done.warnings == ("1 of 2 questions have no recorded decision in what was given; first: '2'.",)


def test_a_question_that_needs_a_language_model_says_what_to_give() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        raise NoLanguageModelError("Give --entity NAME.")

    with pytest.raises(
        NoLanguageModelError, match=r"'1' .* 'hipporag1'.*what it names.*--query-decisions FILE"
    ) as said:
        run(retrieve, find_gold, [question("1", "a", entities=None)], ["hipporag1"])
    assert "HIPPORAG_LLM_MODEL" in str(said.value)
    assert "--entity" not in str(said.value)  # the command has no such option
    for mode in ("hipporag2", "hybrid"):
        with pytest.raises(NoLanguageModelError, match=r"'1' .*which facts bear on it.*--query-decisions FILE"):
            run(retrieve, find_gold, [question("1", "a")], [mode])


def test_another_wrong_setting_is_told_as_it_is() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        raise ConfigurationError("No key.")

    with pytest.raises(ConfigurationError, match=r"^No key\.$"):
        run(retrieve, find_gold, [question("1", "a", entities=None)], ["hybrid"])


def test_warming_up_asks_no_language_model() -> None:
    asked: list[tuple[object, object]] = []

    def retrieve(question: str, *, entities: object, fact_filter: object, **options: Any) -> RetrievalResult:
        asked.append((entities, fact_filter))
        return RetrievalResult(question, options["mode"], ())

    run(retrieve, find_gold, [question("1", "a", entities=None)], ["hybrid"])
    (entities, fact_filter), *rest = asked
    assert entities == ("Question 1?",)
    assert fact_filter is not None
    assert rest == [(None, None)]


def test_a_variant_is_asked_in_its_own_way_under_its_own_name() -> None:
    retriever, variant = Retriever(), Retriever()
    done = run(retriever, find_gold, QUESTIONS, ["dense", Entry("dense-again", "dense", variant)])
    assert list(done.modes) == ["dense", "dense-again"]
    assert (len(retriever.asked), len(variant.asked)) == (4, 4)
    assert (done.modes["dense-again"].name, done.modes["dense-again"].mode) == ("dense-again", "dense")


def test_recorded_decisions_filter_facts_and_what_they_never_saw_is_counted() -> None:
    def retrieve(question: str, *, fact_filter: FactFilter | None, looks: int, **options: Any) -> RetrievalResult:
        assert fact_filter is not None
        assert looks == 2
        facts = (Fact("a", "r", "b", 0.5), Fact("c", "r", "d", 0.4), Fact("e", "r", "f", 0.3))
        verdict = fact_filter(question, [(fact.subject, fact.predicate, fact.object) for fact in facts], ())
        look = Look(facts, tuple(facts[i] for i in verdict.kept), problem="No answer.")
        assert look.kept == facts[:1]
        return RetrievalResult(question, options["mode"], (), looks=(look,))

    decision = Decision(
        "Question 1?", candidate_facts=(("a", "r", "b"), ("c", "r", "d")), relevant_facts=(("a", "r", "b"),)
    )
    decisions = Decisions({"Question 1?": decision})
    done = run(retrieve, find_gold, QUESTIONS[:1], ["hybrid"], decisions=decisions, looks=2)
    assert done.warnings == (
        "hybrid: 1 of 3 facts shown are in no recorded look; they count as not kept.",
        "hybrid: 1 of 1 (100 %) looks at facts had no usable answer. First: No answer.",
    )


def test_hybrid_alone_looks_more_than_once() -> None:
    looked: dict[str, int] = {}

    def retrieve(question: str, *, mode: Mode, looks: int, **options: Any) -> RetrievalResult:
        looked[mode] = looks
        return RetrievalResult(question, mode, ())

    run(retrieve, find_gold, QUESTIONS[:1], ["hybrid", "hipporag2"], looks=3)
    assert looked == {"hybrid": 3, "hipporag2": 1}


def test_synthetic_questions_are_counted() -> None:
    written = replace(QUESTIONS[0], synthetic=True)
    (warning,) = run(Retriever(), find_gold, [written, QUESTIONS[1]], ["dense"]).warnings
    assert warning.startswith("1 of 2 questions are synthetic")


def test_fallbacks_and_stale_rankings_are_told() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        fallback = "No fact was kept." if "3" not in question else "No seed."
        return RetrievalResult(question, options["mode"], (), fallback=fallback, stale="2" in question)

    done = run(retrieve, find_gold, (*QUESTIONS[:2], question("3", "a")), ["hipporag2"])
    assert done.warnings == (
        "hipporag2: dense search answered 3 of 3 (100 %) questions instead. Most often (2): No fact was kept.",
        "hipporag2: 1 of 3 (33 %) rankings are from before the graph's last change. Evaluate when nothing is being "
        "written.",
    )
    assert (done.modes["hipporag2"].fallbacks, done.modes["hipporag2"].stale) == (3, 1)


def test_fallbacks_with_a_reason_each_give_the_first() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        return RetrievalResult(question, options["mode"], (), fallback=f"No phrase is {question!r}.")

    (warning,) = run(retrieve, find_gold, QUESTIONS[:2], ["hybrid"]).warnings
    assert warning.endswith(f"2 of 2 (100 %) questions instead. First: No phrase is {QUESTIONS[0].question!r}.")


def test_answers_from_the_cache_are_told_since_they_take_no_time() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        return RetrievalResult(question, options["mode"], (), from_cache=2 if "2" in question else 0)

    (warning,) = run(retrieve, find_gold, (*QUESTIONS[:2], question("3", "a")), ["hybrid"]).warnings
    assert warning.startswith("hybrid: for 1 of 3 (33 %) questions")
    assert "--no-cache" in warning


def test_answers_read_from_the_cache_are_told_too() -> None:
    def read(question: str, retrieval: RetrievalResult) -> Reading:
        return Reading("x", from_cache="1" in question)

    answered = [replace(one, answer="x") for one in QUESTIONS[:2]]
    (warning,) = run(Retriever(), find_gold, answered, ["dense"], read=read).warnings
    assert warning.startswith("dense: for 1 of 2 (50 %) questions")


def test_facts_shown_to_an_entry_that_takes_no_recorded_decisions_are_not_counted_as_unseen() -> None:
    def retrieve(question: str, **options: Any) -> RetrievalResult:
        fact = Fact("a", "r", "b", 0.5)
        return RetrievalResult(question, options["mode"], (), looks=(Look((fact,), (fact,)),))

    def by_steps(question: str, **options: Any) -> RetrievalResult:
        found = retrieve(question, **options)
        return replace(found, steps=(Step(retrieval=found),))

    decisions = Decisions({"Question 1?": Decision("Question 1?", relevant_facts=(("c", "r", "d"),))})
    entries = [Entry("steps", "hybrid", by_steps, decided=False), Entry("plain", "hybrid", retrieve)]
    unseen, anew = run(Retriever(), find_gold, QUESTIONS[:1], entries, decisions=decisions).warnings
    assert unseen.startswith("plain: 1 of 1 facts shown")
    assert anew.startswith("steps: the language model decided")


def test_an_outage_ends_the_run() -> None:
    answered = Retriever()

    def retrieve(question: str, **options: Any) -> RetrievalResult:
        if "2" in question:
            raise ServerUnavailableError("Nothing answers.")
        return answered(question, **options)

    with pytest.raises(ServerUnavailableError):
        run(retrieve, find_gold, QUESTIONS, ["dense"])
    assert len(answered.asked) == 2


@pytest.mark.parametrize(("questions", "modes"), [((), ("dense",)), (QUESTIONS, ())])
def test_nothing_to_evaluate(questions: Sequence[Question], modes: Sequence[Mode]) -> None:
    with pytest.raises(InputError, match="nothing to evaluate"):
        run(Retriever(), find_gold, questions, modes)


def test_latency_by_hand() -> None:
    latency = latency_by_stage(
        [{"search": 1.0, "total": 10.0}, {"search": 3.0, "total": 20.0}, {"project": 6.0, "total": 10.0}]
    )
    assert list(latency) == ["search", "project", "total"]
    assert [latency["search"].p50, latency["search"].p95] == pytest.approx([2.0, 2.9])
    assert (latency["project"].p50, latency["project"].p95) == (6.0, 6.0)
    assert [latency["total"].p50, latency["total"].p95] == pytest.approx([10.0, 19.0])
    assert [latency[stage].share for stage in latency] == pytest.approx([0.1, 0.15, 1.0])


def test_json_has_the_fixed_names() -> None:
    figures = json.loads(json.dumps(to_json(evaluation())))
    assert figures["questions"] == 3
    assert (figures["gold_passages"], figures["missing_gold_passages"]) == (8, 1)
    assert list(figures["modes"]) == ["hipporag1", "dense"]
    mode = figures["modes"]["hipporag1"]
    assert {"recall@2", "recall@5", "recall@10", "all_recall@5", "all_recall@10"} <= mode.keys()
    assert mode["latency_ms"] == {"search": {"p50": 2.0, "p95": 2.0}, "total": {"p50": 8.0, "p95": 8.0}}
    assert mode["time_share"] == {"search": 0.25}
    assert mode["fallbacks"] == 1
    assert "outcomes" not in mode


def test_json_tells_what_was_found_for_each_question_on_request() -> None:
    outcome = to_json(evaluation(), outcomes=True)["modes"]["hipporag1"]["outcomes"][1]
    assert (outcome["id"], outcome["recall@2"], outcome["fallback"]) == ("2", 0.5, "No entity.")
    assert [passage["id"] for passage in outcome["passages"]] == list("tabcdefghi")


def shown(renderable: object, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_table_has_a_line_a_mode() -> None:
    text = shown(to_table(evaluation()))
    (line,) = [line for line in text.splitlines() if "hipporag1" in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == [
        "hipporag1", "0.417", "0.750", "0.833", "0.67", "0.67", "8.0", "8.0", "33 %"
    ]  # fmt: skip
    # Of three values the lowest is drawn three times with probability 1/27 > 2.5 %: intervals reach from end to end.
    doubt = text.splitlines()[text.splitlines().index(line) + 1]
    assert [cell.strip() for cell in doubt.split("│")[1:-1]] == [
        "", "±.125", "±.375", "±.250", "±.50", "±.50", "", "", ""
    ]  # fmt: skip


def test_the_mode_is_whole_in_a_terminal_of_80_columns() -> None:
    for table in (to_table(evaluation()), to_latency_table(evaluation())):
        assert "hipporag1" in shown(table, width=80)
        assert "…" not in shown(table, width=80)


def test_the_latency_table_says_where_the_time_goes() -> None:
    (line,) = [
        line for line in shown(to_latency_table(evaluation())).splitlines() if "dense" in line and "search" in line
    ]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == ["dense", "search", "2.0", "2.0", "25 %"]


def test_the_summary_warns_and_names_the_longest_stage() -> None:
    retriever = Retriever({"link": 3.0, "rank": 5.0, "total": 10.0})
    lines = summary(run(retriever, find_gold, QUESTIONS, ["dense"]))
    assert lines[0].startswith("Warning: 1 of 8 gold passages")
    assert lines[1] == "dense spends 50 % of its time in rank."
