"""What people and programs read of an evaluation with answers and a comparison."""

import io
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from hipporag_neo4j.domain import Look, Mode, RankedPassage, RetrievalResult
from hipporag_neo4j.evaluation import (
    Entry,
    Evaluation,
    FoundGold,
    GoldPassage,
    Question,
    Reading,
    Setting,
    compared_questions,
    run,
    summary,
    to_answer_table,
    to_comparison_table,
    to_json,
    to_markdown,
    to_table,
)
from hipporag_neo4j.evaluation.commands import explaining_command
from hipporag_neo4j.evaluation.markdown import escaped
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.status import Status

NASTY = '# Who | wrote *this* `ls`; <b>$HOME</b>?\n- "It\'s" [x](y)'
QUESTIONS = (
    Question("1", NASTY, (GoldPassage(id="a"),), answer="The Moon", entities=("Ada's", "Q_1")),
    Question("2", "Two?", (GoldPassage(id="b"),), answer="Rome", answer_aliases=("Roma",)),
    Question("3", "Three?", (GoldPassage(id="c"),)),
)
SETTING = Setting(
    date=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
    namespace="team_a",
    graph=Status(
        Graph("team_a", "minilm", 384, "unicode", 0.8, 1, 7, 7),
        1890,
        16235,
        17036,
        19755,
        7121,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        {},
        (),
        (),
    ),
    versions={"hipporag-neo4j": "0.1.0", "Neo4j": "2026.01.4"},
    embedding_model="minilm",
    language_model="gpt",
    cached=True,
    questions_file="q|1.json",
    decisions_files=("d.json",),
    looks=2,
    passages_read=5,
    changed={"damping": 0.7},
    made_with={},
)


def find_gold(questions: Sequence[Question]) -> FoundGold:
    return FoundGold({gold: frozenset({gold.id or ""}) for q in questions for gold in q.gold})


def retrieve(question: str, **options: Any) -> RetrievalResult:
    """`hybrid` finds all but the third, `dense` only the second."""
    mode = options["mode"]
    found = {"1": "a", "2": "b"} if mode == "hybrid" else {"2": "b"}
    id_ = next(q.id for q in QUESTIONS if q.question == question)
    passages = tuple(RankedPassage(p, "", "", 1.0) for p in [found[id_]] if id_ in found) if id_ in found else ()
    looks = (Look((), (), problem="No answer." if id_ == "3" else None),) if mode == "hybrid" else ()
    return RetrievalResult(
        question,
        mode,
        passages,
        entities=tuple(options["entities"] or ()) if mode == "hybrid" else (),
        timings={"search": 1.0, "total": 2.0},
        looks=looks,
        prompt_tokens=10 if mode == "hybrid" else 0,
    )


def read(question: str, retrieval: RetrievalResult) -> Reading:
    match question:
        case "Two?":
            return Reading("roma!", prompt_tokens=100, completion_tokens=7)
        case "Three?":
            return Reading(None, problem="Unreadable.", prompt_tokens=1)
        case _:
            return Reading("Moon base" if retrieval.passages else None, prompt_tokens=1)


@pytest.fixture
def evaluation() -> Evaluation:
    modes: tuple[Mode, ...] = ("hybrid", "dense")
    return run(retrieve, find_gold, QUESTIONS, modes, looks=2, read=read, compared=[("hybrid", "dense")])


def test_answers_by_hand(evaluation: Evaluation) -> None:
    hybrid, dense = evaluation.modes["hybrid"], evaluation.modes["dense"]
    # "Moon base" and "moon" share one word of two and one: F1 = 2/3. The third question has no answer to compare with.
    assert hybrid.means["exact_match"] == pytest.approx(1 / 2)
    assert hybrid.means["f1"] == pytest.approx((2 / 3 + 1) / 2)
    assert dense.means["f1"] == pytest.approx(1 / 2)
    assert hybrid.answers is not None
    assert dense.answers is not None
    assert (hybrid.answers.judged, hybrid.answers.not_found, hybrid.answers.unusable) == (2, 0, 1)
    assert (dense.answers.judged, dense.answers.not_found, dense.answers.unusable) == (2, 1, 1)
    assert (hybrid.prompt_tokens, hybrid.completion_tokens) == (30 + 102, 7)
    assert (hybrid.looks, hybrid.failed_looks, dense.looks) == (3, 1, 0)
    assert list(hybrid.latency) == ["search", "read", "total"]
    assert hybrid.latency["total"].p50 >= 2.0 + hybrid.latency["read"].p50 / 2
    assert evaluation.warnings == (
        "1 of 3 questions have no answer in the question file; they are left out of exact match and F1.",
        "hybrid: 1 of 3 (33 %) looks at facts had no usable answer. First: No answer.",
        "hybrid: 1 of 3 (33 %) answers can't be used. First: Unreadable.",
        "dense: 1 of 3 (33 %) answers can't be used. First: Unreadable.",
    )


def test_json_has_it_all(evaluation: Evaluation) -> None:
    values = json.loads(json.dumps(to_json(evaluation, SETTING, outcomes=True)))
    hybrid = values["modes"]["hybrid"]
    assert hybrid["recall@5"] == pytest.approx(2 / 3)
    assert hybrid["intervals"]["recall@5"] == [0, 1]
    assert hybrid["answers"] == {"judged": 2, "not_found": 0, "unusable": 1}
    assert (hybrid["fallback_share"], hybrid["failed_looks"]) == (0, 1)
    assert [outcome.get("f1") for outcome in hybrid["outcomes"]] == [pytest.approx(2 / 3), 1, None]
    by_recall, by_f1 = values["comparisons"]
    assert (by_recall["score"], by_recall["wins"], by_recall["ties"], by_recall["losses"]) == ("recall@5", 1, 2, 0)
    assert (by_f1["score"], by_f1["wins"], by_f1["ties"]) == ("f1", 1, 1)
    assert by_recall["mean_difference"] == pytest.approx(1 / 3)
    (won,) = by_recall["won"]
    assert (won["id"], won["hybrid"], won["dense"]) == ("1", 1, 0)
    assert shlex.split(won["explain"]["dense"])[:5] == ["hipporag-neo4j", "retrieve", NASTY, "--mode", "dense"]
    assert values["setting"]["graph"]["passages"] == 1890
    assert values["setting"]["changed_settings"] == {"damping": 0.7}
    assert (values["resamples"], values["seed"]) == (10_000, 0)


def test_the_command_asks_the_same_again(evaluation: Evaluation) -> None:
    hybrid, dense = evaluation.modes["hybrid"], evaluation.modes["dense"]
    command = explaining_command(hybrid.entry, hybrid.outcomes[0], namespace="team_a", looks=2)
    assert command is not None
    assert shlex.split(command) == [
        "hipporag-neo4j", "retrieve", NASTY, "--mode", "hybrid", "--looks", "2", "--entity", "Ada's", "--entity", "Q_1",
        "--namespace", "team_a",
    ]  # fmt: skip
    command = explaining_command(dense.entry, dense.outcomes[1], namespace="team_a", looks=2)
    assert command == 'hipporag-neo4j retrieve "Two?" --mode dense --namespace team_a'
    variant = Entry("no-synonyms", "hybrid")
    assert explaining_command(variant, hybrid.outcomes[0], namespace="team_a", looks=1) is None


def shown(renderable: object, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_tables_fit_80_columns(evaluation: Evaluation) -> None:
    for table in (to_table(evaluation), to_answer_table(evaluation), to_comparison_table(evaluation)):
        assert table is not None
        text = shown(table)
        assert "hybrid" in text
        assert "…" not in text
    (line,) = [line for line in shown(to_comparison_table(evaluation)).splitlines() if "R@5" in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == [
        "hybrid", "dense", "R@5", "1", "2", "0", "+0.333", "1.000"
    ]  # fmt: skip


def test_nothing_to_compare_and_no_answers_leave_no_table() -> None:
    done = run(retrieve, find_gold, QUESTIONS, ["dense"])
    assert to_answer_table(done) is None
    assert to_comparison_table(done) is None
    assert to_json(done)["comparisons"] == []
    assert "Question by question" not in to_markdown(done, SETTING)


def test_the_questions_that_each_wins_are_listed_with_commands(evaluation: Evaluation) -> None:
    lines = list(compared_questions(evaluation, SETTING))
    assert lines[0] == "hybrid wins 1 by R@5:"
    assert lines[1].startswith("  1.00 against 0.00: # Who")
    assert [line.strip().split()[:2] for line in lines[2:4]] == [["hipporag-neo4j", "retrieve"]] * 2 or "\n" in NASTY
    many = replace(evaluation, comparisons=(replace(evaluation.comparisons[0], won=evaluation.comparisons[0].won * 7),))
    assert "  … and 2 more (--report FILE.json has all)" in list(compared_questions(many, SETTING))


def test_the_summary_tells_what_it_cost(evaluation: Evaluation) -> None:
    assert any(line.endswith("It cost 132 + 7 tokens.") for line in summary(evaluation))


def test_markdown_means_what_it_shows(evaluation: Evaluation) -> None:
    text = to_markdown(evaluation, SETTING)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == [
        r"Retrieval on team\_a, 2026-11-30",
        "To know before reading the figures",
        "What was found",
        "What was answered",
        "Question by question",
        "hybrid beats dense by R@5: 1",
        "hybrid beats dense by F1: 1",
        "Where hybrid finds least",
        "How long it took",
        "What it was made with",
    ]
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "text_special", "code_inline", "softbreak"}  # no HTML, no links
    plain = ["".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"]
    assert f"{' '.join(NASTY.split())} (1.00 against 0.00)" in plain
    assert "q|1.json, 3 questions" in plain
    cells = [line.replace(r"\|", "").count("|") for line in text.splitlines() if line.startswith("| ")]
    assert min(cells) >= 3
    assert "0.833 [0.667, 1.000]" in text
    assert "| 1 of 3 | 132 + 7 |" in text  # failed looks, tokens
    assert "damping = 0.7" in text
    assert "gpt; its answers come from the cache" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b*c", r"a\_b\*c"),
        ("# no heading", r"\# no heading"),
        ("- no item", r"\- no item"),
        ("1. no item", r"1\. no item"),
        ("1914 began", "1914 began"),
        ("a\nb\x1b[1m", r"a b \[1m"),
    ],
)
def test_escaping(text: str, expected: str) -> None:
    assert escaped(text) == expected
