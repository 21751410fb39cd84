"""An evaluation as JSON that programs read, and as tables that people read."""

from typing import Any

from rich.table import Table

from hipporag_neo4j.evaluation.evaluate import Evaluation
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT
from hipporag_neo4j.evaluation.summarise import ModeResult


def to_json(evaluation: Evaluation, *, outcomes: bool = False) -> dict[str, Any]:
    """The figures under their fixed names; with `outcomes`, what was found for each question too.

    `{"modes": {MODE: {"recall@2", "recall@5", "recall@10", "all_recall@5", "all_recall@10" (0 to 1), "latency_ms":
    {STAGE: {"p50", "p95"}}, "time_share": {STAGE: 0 to 1}, "fallbacks", "stale"}}, "questions", "gold_passages",
    "missing_gold_passages", "warnings"}`, all counts but the shares.
    """
    return {
        "modes": {mode: _mode_to_json(result, outcomes) for mode, result in evaluation.modes.items()},
        "questions": evaluation.questions,
        "gold_passages": evaluation.gold,
        "missing_gold_passages": evaluation.missing,
        "warnings": list(evaluation.warnings),
    }


def _mode_to_json(result: ModeResult, outcomes: bool) -> dict[str, Any]:
    figures: dict[str, Any] = dict(result.means)
    figures["latency_ms"] = {stage: {"p50": time.p50, "p95": time.p95} for stage, time in result.latency.items()}
    figures["time_share"] = {stage: time.share for stage, time in result.latency.items() if stage != "total"}
    figures |= {"fallbacks": result.fallbacks, "stale": result.stale}
    if outcomes:
        figures["outcomes"] = [_outcome_to_json(outcome) for outcome in result.outcomes]
    return figures


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.question.id,
        "question": outcome.question.question,
        **{f"recall@{k}": value for k, value in outcome.recall.items()},
        "entities": list(outcome.result.entities),
        "passages": [{"id": p.id, "title": p.title, "score": p.score} for p in outcome.result.passages],
        "missing_gold_passages": len(outcome.missing),
        "fallback": outcome.result.fallback,
        "timings_ms": dict(outcome.result.timings),
    }


def to_table(evaluation: Evaluation) -> Table:
    """A line a mode: recall, share of questions with all gold found, whole latency, fallbacks."""
    table = Table(title=f"{evaluation.questions} questions, {evaluation.gold} gold passages")
    table.add_column("mode", no_wrap=True)
    for heading in [
        *(f"R@{k}" for k in RECALL_AT),
        *(f"all@{k}" for k in ALL_RECALL_AT),
        "p50 ms",
        "p95 ms",
        "fell back",
    ]:
        table.add_column(heading, justify="right")
    for mode, result in evaluation.modes.items():
        whole = result.latency.get("total")
        table.add_row(
            mode,
            *(f"{result.recall[k]:.3f}" for k in RECALL_AT),
            *(f"{result.all_recall[k]:.2f}" for k in ALL_RECALL_AT),
            *([f"{whole.p50:.1f}", f"{whole.p95:.1f}"] if whole else ["-", "-"]),
            str(result.fallbacks),
        )
    return table


def to_latency_table(evaluation: Evaluation) -> Table:
    """A line a mode and stage: p50, p95 and the share of the mode's time that goes there."""
    table = Table(title="Where the time goes")
    table.add_column("mode", no_wrap=True)
    table.add_column("stage", no_wrap=True)
    for heading in ("p50 ms", "p95 ms", "share"):
        table.add_column(heading, justify="right")
    for mode, result in evaluation.modes.items():
        for stage, time in result.latency.items():
            table.add_row(mode, stage, f"{time.p50:.1f}", f"{time.p95:.1f}", f"{100 * time.share:.0f} %")
        table.add_section()
    return table


def summary(evaluation: Evaluation) -> list[str]:
    """A sentence a mode on where its time goes, after the warnings: what is to be read beside the tables."""
    lines = [f"Warning: {warning}" for warning in evaluation.warnings]
    for mode, result in evaluation.modes.items():
        shares = {stage: time.share for stage, time in result.latency.items() if stage != "total"}
        if shares:
            longest = max(shares, key=lambda stage: shares[stage])
            lines.append(f"{mode} spends {100 * shares[longest]:.0f} % of its time in {longest}.")
    return lines
