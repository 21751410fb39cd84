"""An evaluation as Markdown, to be pasted into a wiki."""

import re
from collections.abc import Iterator, Sequence

from hipporag_neo4j.evaluation.commands import explaining_command
from hipporag_neo4j.evaluation.compare import Comparison
from hipporag_neo4j.evaluation.evaluate import Evaluation
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.setting import Setting
from hipporag_neo4j.evaluation.summarise import ModeResult
from hipporag_neo4j.evaluation.tables import p_value, scores_of, short_name

_MOST = 10
"""Questions that a list shows."""
_CACHED = "; its answers come from the cache where they are there, and cost neither tokens nor time then"
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&])")
_OPENS = re.compile(r"^([#+-]|\d+(?=[.)]))")
"""What opens a heading or a list where a line begins with it."""


def to_markdown(evaluation: Evaluation, setting: Setting) -> str:
    """The whole report: setting, warnings, figures with intervals, comparison, worst questions, latency."""
    parts = [
        f"# Retrieval on {escaped(setting.namespace)}, {setting.date:%Y-%m-%d}",
        *_warnings(evaluation),
        *_figures(evaluation),
        *_answers(evaluation),
        *_comparisons(evaluation, setting),
        *_worst(evaluation, setting),
        *_latency(evaluation),
        *_setting(evaluation, setting),
    ]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text that means nothing to Markdown, on one line."""
    line = _SPECIAL.sub(r"\\\1", " ".join(_visible(text).split()))
    return _OPENS.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", line)


def _warnings(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.warnings:
        yield "## To know before reading the figures"
        yield "\n".join(f"- {escaped(warning)}" for warning in evaluation.warnings)


def _figures(evaluation: Evaluation) -> Iterator[str]:
    results = evaluation.modes.values()
    scores = [name for name in next(iter(results)).means if name not in ("exact_match", "f1")]
    sampling = evaluation.sampling
    yield "## What was found"
    yield (
        f"{evaluation.questions} questions with {evaluation.gold} gold passages. R@k: share of a question's gold "
        "passages among the first k, mean over the questions; all@k: share of the questions with all of them there; in "
        f"brackets the 95 % bootstrap interval ({sampling.resamples:,} resamples, seed {sampling.seed}). "
        "Failed looks: the language model gave no usable answer on which facts bear on the question."
    )
    yield _table(
        ["mode", *map(short_name, scores), "fell back to dense", "failed looks", "tokens"],
        [
            [
                escaped(result.name),
                *(_with_interval(result, score) for score in scores),
                f"{result.fallbacks} ({_percent(result.fallbacks, len(result.outcomes))})",
                f"{result.failed_looks} of {result.looks}" if result.looks else "-",
                _tokens(result),
            ]
            for result in results
        ],
    )


def _answers(evaluation: Evaluation) -> Iterator[str]:
    rows = [
        [
            escaped(result.name),
            str(answers.judged),
            _with_interval(result, "exact_match"),
            _with_interval(result, "f1"),
            str(answers.not_found),
            str(answers.unusable),
        ]
        for result in evaluation.modes.values()
        if (answers := result.answers) is not None
    ]
    if rows:
        yield "## What was answered"
        yield (
            "EM: the answer is one of the right ones, case, punctuation and articles aside; F1: words in common (both "
            "as SQuAD measures). A question whose passages don't hold the answer, as the model says, counts as 0."
        )
        yield _table(["mode", "judged", "EM", "F1", "not in the passages", "unusable"], rows)


def _comparisons(evaluation: Evaluation, setting: Setting) -> Iterator[str]:
    if not evaluation.comparisons:
        return
    yield "## Question by question"
    yield "p: how often chance alone would give a mean difference this large (randomisation test, two-sided)."
    yield _table(
        ["mode", "against", "by", "wins", "ties", "losses", "mean difference", "p"],
        [
            [
                escaped(one.first),
                escaped(one.second),
                short_name(one.score),
                str(len(one.won)),
                str(one.ties),
                str(len(one.lost)),
                f"{one.mean_difference:+.3f} [{one.interval.low:+.3f}, {one.interval.high:+.3f}]",
                p_value(one),
            ]
            for one in evaluation.comparisons
        ],
    )
    for one in evaluation.comparisons:
        yield from _sides(one, evaluation, setting)


def _sides(comparison: Comparison, evaluation: Evaluation, setting: Setting) -> Iterator[str]:
    sides = (
        (comparison.first, comparison.second, comparison.won),
        (comparison.second, comparison.first, comparison.lost),
    )
    for winner, loser, pairs in sides:
        if not pairs:
            continue
        yield f"### {escaped(winner)} beats {escaped(loser)} by {short_name(comparison.score)}: {len(pairs)}"
        lines = []
        for pair in pairs[:_MOST]:
            lines.append(f"- {escaped(pair.first.question.question)} ({scores_of(pair, comparison)})")
            for name, outcome in ((comparison.first, pair.first), (comparison.second, pair.second)):
                lines += _command(evaluation.modes[name], outcome, setting)
        yield "\n".join(lines)
        if len(pairs) > _MOST:
            yield f"… and {len(pairs) - _MOST} more, which the JSON report lists."


def _worst(evaluation: Evaluation, setting: Setting) -> Iterator[str]:
    first, *others = evaluation.modes.values()
    incomplete = sorted(
        (i for i, outcome in enumerate(first.outcomes) if outcome.recall[5] < 1),
        key=lambda i: (first.outcomes[i].recall[5], first.outcomes[i].recall[10], i),
    )
    if not incomplete:
        return
    yield f"## Where {escaped(first.name)} finds least"
    lines = []
    for i in incomplete[:_MOST]:
        outcome = first.outcomes[i]
        beside = "".join(f", {escaped(other.name)} {other.outcomes[i].recall[5]:.2f}" for other in others)
        found = f"R@5 {outcome.recall[5]:.2f}, R@10 {outcome.recall[10]:.2f}{beside}"
        lines.append(f"- {escaped(outcome.question.question)} ({found})")
        lines += _command(first, outcome, setting)
    yield "\n".join(lines)
    if len(incomplete) > _MOST:
        yield f"… and {len(incomplete) - _MOST} more with gold passages beyond the first 5."


def _latency(evaluation: Evaluation) -> Iterator[str]:
    yield "## How long it took"
    yield "Milliseconds a question."
    yield _table(
        ["mode", "stage", "p50", "p95", "share"],
        [
            [escaped(result.name), stage, f"{time.p50:.1f}", f"{time.p95:.1f}", f"{100 * time.share:.0f} %"]
            for result in evaluation.modes.values()
            for stage, time in result.latency.items()
        ],
    )


def _setting(evaluation: Evaluation, setting: Setting) -> Iterator[str]:
    graph = setting.graph
    rows = [
        ["date", f"{setting.date:%Y-%m-%d %H:%M} UTC"],
        ["namespace", setting.namespace],
        [
            "graph",
            f"{graph.passages:,} passages, {graph.phrases:,} phrases, {graph.facts:,} facts, {graph.synonyms:,} "
            f"synonym pairs at {graph.graph.synonym_threshold:g}, normalisation {graph.graph.normalisation}, version "
            f"{graph.graph.version}",
        ],
        ["embedding model", setting.embedding_model],
        ["language model", (setting.language_model or "none") + (_CACHED if setting.cached else "")],
        ["questions", f"{setting.questions_file}, {evaluation.questions} questions"],
        ["recorded decisions", ", ".join(setting.decisions_files) or "none"],
        ["looks of hybrid", str(setting.looks)],
        ["passages read for an answer", "no answers" if setting.passages_read is None else str(setting.passages_read)],
        ["settings other than the defaults", ", ".join(f"{k} = {v}" for k, v in setting.changed.items()) or "none"],
        ["versions", ", ".join(f"{name} {number}" for name, number in setting.versions.items())],
    ]
    yield "## What it was made with"
    yield _table(["what", "value"], [[what, escaped(value)] for what, value in rows])
    if setting.decisions_files:
        yield (
            "Which facts bear on a question was replayed from the recorded decisions; the commands above ask the "
            "language model, so what they find may differ."
        )


def _command(result: ModeResult, outcome: Outcome, setting: Setting) -> list[str]:
    """The command as code in the list's item, nothing where there is none."""
    command = explaining_command(result.entry, outcome, namespace=setting.namespace, looks=setting.looks)
    if command is None:
        return []
    line = " ".join(_visible(command).split("\n"))
    fence = "`" * (max((len(ticks) for ticks in re.findall("`+", line)), default=0) + 1)
    space = " " if len(fence) > 1 else ""
    return [f"  - {fence}{space}{line}{space}{fence}"]


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    numbers = [all(row[i][:1] in "+-0123456789.<" for row in rows) for i in range(len(headings))]
    lines = [headings, ["---:" if number else "---" for number in numbers]]
    lines += rows
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _with_interval(result: ModeResult, score: str) -> str:
    if score not in result.means:
        return "-"
    interval = result.intervals[score]
    return f"{result.means[score]:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _tokens(result: ModeResult) -> str:
    if not result.prompt_tokens + result.completion_tokens:
        return "-"
    return f"{result.prompt_tokens:,} + {result.completion_tokens:,}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _visible(text: str) -> str:
    """Without control characters."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
