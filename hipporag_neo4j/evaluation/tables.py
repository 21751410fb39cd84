"""An evaluation as tables and lines that people read in a terminal."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from hipporag_neo4j.evaluation.commands import explaining_command
from hipporag_neo4j.evaluation.compare import Comparison, Pair
from hipporag_neo4j.evaluation.evaluate import Evaluation
from hipporag_neo4j.evaluation.measures import ALL_RECALL_AT, RECALL_AT
from hipporag_neo4j.evaluation.setting import Setting
from hipporag_neo4j.evaluation.summarise import ModeResult


def to_table(evaluation: Evaluation) -> Table:
    """A line an entry: recall, share of questions with all gold found, whole latency, share of fallbacks."""
    table = Table(
        title=f"{evaluation.questions} questions, {evaluation.gold} gold passages",
        caption="±: half the 95 % bootstrap interval",
    )
    table.add_column("mode", no_wrap=True)
    for heading in [
        *(f"R@{k}" for k in RECALL_AT),
        *(f"all@{k}" for k in ALL_RECALL_AT),
        "p50 ms",
        "p95 ms",
        "fell back",
    ]:
        table.add_column(heading, justify="right")
    for name, result in evaluation.modes.items():
        whole = result.latency.get("total")
        table.add_row(
            name,
            *(_with_doubt(result, f"recall@{k}", 3) for k in RECALL_AT),
            *(_with_doubt(result, f"all_recall@{k}", 2) for k in ALL_RECALL_AT),
            *([f"{whole.p50:.1f}", f"{whole.p95:.1f}"] if whole else ["-", "-"]),
            f"{100 * result.fallbacks / len(result.outcomes):.0f} %",
        )
    return table


def to_answer_table(evaluation: Evaluation) -> Table | None:
    """A line an entry: exact match, F1, what wasn't answered, tokens; None where no answers were asked for."""
    answered = [(name, result, result.answers) for name, result in evaluation.modes.items() if result.answers]
    if not answered:
        return None
    table = Table(title="Answers")
    table.add_column("mode", no_wrap=True)
    for heading in ("judged", "EM", "F1", "not in the passages", "unusable"):
        table.add_column(heading, justify="right")
    for name, result, answers in answered:
        table.add_row(
            name,
            str(answers.judged),
            *(_with_doubt(result, score, 3) for score in ("exact_match", "f1")),
            str(answers.not_found),
            str(answers.unusable),
        )
    return table


def to_comparison_table(evaluation: Evaluation) -> Table | None:
    """A line a pair of entries and score; None where nothing was compared."""
    if not evaluation.comparisons:
        return None
    table = Table(title="Question by question")
    for heading in ("mode", "against"):
        table.add_column(heading, no_wrap=True)
    table.add_column("by")
    for heading in ("wins", "ties", "losses", "mean difference", "p"):
        table.add_column(heading, justify="right")
    for one in evaluation.comparisons:
        table.add_row(
            one.first,
            one.second,
            short_name(one.score),
            str(len(one.won)),
            str(one.ties),
            str(len(one.lost)),
            f"{one.mean_difference:+.3f}\n{one.interval.low:+.2f} to {one.interval.high:+.2f}",
            p_value(one),
        )
    return table


def to_latency_table(evaluation: Evaluation) -> Table:
    """A line an entry and stage: p50, p95 and the share of the entry's time that goes there."""
    table = Table(title="Where the time goes")
    table.add_column("mode", no_wrap=True)
    table.add_column("stage", no_wrap=True)
    for heading in ("p50 ms", "p95 ms", "share"):
        table.add_column(heading, justify="right")
    for name, result in evaluation.modes.items():
        for stage, time in result.latency.items():
            table.add_row(name, stage, f"{time.p50:.1f}", f"{time.p95:.1f}", f"{100 * time.share:.0f} %")
        table.add_section()
    return table


def compared_questions(evaluation: Evaluation, setting: Setting, most: int = 5) -> Iterator[str]:
    """The questions that each side of each comparison wins, with the commands that show why."""
    for one in evaluation.comparisons:
        for winner, pairs in ((one.first, one.won), (one.second, one.lost)):
            if pairs:
                yield f"{winner} wins {len(pairs)} by {short_name(one.score)}:"
            for pair in pairs[:most]:
                yield f"  {scores_of(pair, one)}: {pair.first.question.question}"
                for name, outcome in ((one.first, pair.first), (one.second, pair.second)):
                    entry = evaluation.modes[name].entry
                    command = explaining_command(entry, outcome, namespace=setting.namespace, looks=setting.looks)
                    if command is not None:
                        yield f"    {command}"
            if len(pairs) > most:
                yield f"  … and {len(pairs) - most} more (--report FILE.json has all)"


def summary(evaluation: Evaluation) -> list[str]:
    """A sentence an entry on where its time goes, after the warnings: what is to be read beside the tables."""
    lines = [f"Warning: {warning}" for warning in evaluation.warnings]
    for name, result in evaluation.modes.items():
        shares = {stage: time.share for stage, time in result.latency.items() if stage != "total"}
        if shares:
            longest = max(shares, key=lambda stage: shares[stage])
            lines.append(f"{name} spends {100 * shares[longest]:.0f} % of its time in {longest}.{_tokens(result)}")
    return lines


def _tokens(result: ModeResult) -> str:
    """What the language model cost, nothing where it cost nothing."""
    if not result.prompt_tokens + result.completion_tokens:
        return ""
    return f" It cost {result.prompt_tokens:,} + {result.completion_tokens:,} tokens."


def short_name(score: str) -> str:
    """A score as a heading: `R@5`, `all@5`, `EM`, `F1`."""
    named = {"exact_match": "EM", "f1": "F1"}
    return named.get(score) or score.replace("all_recall", "all").replace("recall", "R")


def scores_of(pair: Pair, comparison: Comparison) -> str:
    """A question's score on both sides: `1.00 against 0.50`."""
    return f"{pair.first.scores[comparison.score]:.2f} against {pair.second.scores[comparison.score]:.2f}"


def p_value(comparison: Comparison) -> str:
    """`0.04`, or `<0.001`."""
    return "<0.001" if comparison.p_value < 0.001 else f"{comparison.p_value:.3f}"


def _with_doubt(result: ModeResult, score: str, digits: int) -> Text:
    if score not in result.means:
        return Text("-")
    return Text.assemble(
        f"{result.means[score]:.{digits}f}\n", (f"±{result.intervals[score].half:.{digits}f}".replace("0.", "."), "dim")
    )
