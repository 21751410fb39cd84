"""An evaluation as JSON that programs read."""

from typing import Any

from hipporag_neo4j.evaluation.commands import explaining_command
from hipporag_neo4j.evaluation.compare import Comparison, Pair
from hipporag_neo4j.evaluation.evaluate import Evaluation
from hipporag_neo4j.evaluation.judge import Outcome
from hipporag_neo4j.evaluation.setting import Setting
from hipporag_neo4j.evaluation.summarise import ModeResult


def to_json(evaluation: Evaluation, setting: Setting | None = None, *, outcomes: bool = False) -> dict[str, Any]:
    """The figures under their fixed names; with `outcomes`, what was found for each question too.

    `{"modes": {NAME: {"recall@2", "recall@5", "recall@10", "all_recall@5", "all_recall@10" and, for answers,
    "exact_match", "f1" (0 to 1), "intervals": {the same names: [low, high]}, "latency_ms": {STAGE: {"p50", "p95"}},
    "time_share": {STAGE: 0 to 1}, "fallbacks", "fallback_share", "stale", "looks", "failed_looks", "prompt_tokens",
    "completion_tokens", "answers"}}, "questions", "gold_passages", "missing_gold_passages", "comparisons",
    "resamples", "seed", "setting", "warnings"}`, all counts but the shares.
    """
    return {
        "modes": {name: _mode_to_json(result, outcomes) for name, result in evaluation.modes.items()},
        "questions": evaluation.questions,
        "gold_passages": evaluation.gold,
        "missing_gold_passages": evaluation.missing,
        "comparisons": [_comparison_to_json(one, evaluation, setting) for one in evaluation.comparisons],
        "resamples": evaluation.sampling.resamples,
        "seed": evaluation.sampling.seed,
        "setting": None if setting is None else _setting_to_json(setting),
        "warnings": list(evaluation.warnings),
    }


def _mode_to_json(result: ModeResult, outcomes: bool) -> dict[str, Any]:
    figures: dict[str, Any] = dict(result.means)
    figures["intervals"] = {name: [interval.low, interval.high] for name, interval in result.intervals.items()}
    figures["latency_ms"] = {stage: {"p50": time.p50, "p95": time.p95} for stage, time in result.latency.items()}
    figures["time_share"] = {stage: time.share for stage, time in result.latency.items() if stage != "total"}
    figures |= {
        "fallbacks": result.fallbacks,
        "fallback_share": result.fallbacks / len(result.outcomes),
        "stale": result.stale,
        "looks": result.looks,
        "failed_looks": result.failed_looks,
        "prompt_tokens": result.prompt_tokens,
        "completion_tokens": result.completion_tokens,
    }
    if result.answers is not None:
        figures["answers"] = {
            "judged": result.answers.judged,
            "not_found": result.answers.not_found,
            "unusable": result.answers.unusable,
        }
    if outcomes:
        figures["outcomes"] = [_outcome_to_json(outcome) for outcome in result.outcomes]
    return figures


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    values = {
        "id": outcome.question.id,
        "question": outcome.question.question,
        **outcome.scores,
        "entities": list(outcome.result.entities),
        "passages": [{"id": p.id, "title": p.title, "score": p.score} for p in outcome.result.passages],
        "missing_gold_passages": len(outcome.missing),
        "fallback": outcome.result.fallback,
        "timings_ms": dict(outcome.result.timings),
    }
    if outcome.reading is not None:
        values |= {"answer": outcome.reading.answer, "right_answers": list(outcome.question.right_answers)}
    return values


def _comparison_to_json(comparison: Comparison, evaluation: Evaluation, setting: Setting | None) -> dict[str, Any]:
    first, second = evaluation.modes[comparison.first], evaluation.modes[comparison.second]

    def pair_to_json(pair: Pair) -> dict[str, Any]:
        values = {
            "id": pair.first.question.id,
            "question": pair.first.question.question,
            first.name: pair.first.scores[comparison.score],
            second.name: pair.second.scores[comparison.score],
        }
        if setting is not None:
            values["explain"] = {
                result.name: explaining_command(result.entry, outcome, namespace=setting.namespace, looks=setting.looks)
                for result, outcome in ((first, pair.first), (second, pair.second))
            }
        return values

    return {
        "first": comparison.first,
        "second": comparison.second,
        "score": comparison.score,
        "wins": len(comparison.won),
        "ties": comparison.ties,
        "losses": len(comparison.lost),
        "mean_difference": comparison.mean_difference,
        "interval": [comparison.interval.low, comparison.interval.high],
        "p_value": comparison.p_value,
        "won": [pair_to_json(pair) for pair in comparison.won],
        "lost": [pair_to_json(pair) for pair in comparison.lost],
    }


def _setting_to_json(setting: Setting) -> dict[str, Any]:
    return {
        "date": setting.date.isoformat(timespec="seconds"),
        "namespace": setting.namespace,
        "graph": {
            "passages": setting.graph.passages,
            "phrases": setting.graph.phrases,
            "facts": setting.graph.facts,
            "mentions": setting.graph.mentions,
            "synonyms": setting.graph.synonyms,
            "normalisation": setting.graph.graph.normalisation,
            "synonym_threshold": setting.graph.graph.synonym_threshold,
            "version": setting.graph.graph.version,
        },
        "versions": dict(setting.versions),
        "embedding_model": setting.embedding_model,
        "language_model": setting.language_model,
        "answers_from_cache": setting.cached,
        "questions_file": setting.questions_file,
        "decisions_files": list(setting.decisions_files),
        "looks": setting.looks,
        "passages_read": setting.passages_read,
        "changed_settings": dict(setting.changed),
    }
