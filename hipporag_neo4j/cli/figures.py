"""The figures of a graph and of a run, under the names that programs read."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli.output import clean, plural, snippet

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.index_report import IndexReport
    from hipporag_neo4j.runs import Run
    from hipporag_neo4j.status import FailedPassage, MalformedTriple, Status

_DROPPED = "an empty part, or subject and object the same"


def status_values(status: "Status") -> dict[str, Any]:
    """What a graph holds."""
    graph = status.graph
    return {
        "namespace": graph.namespace,
        "passages": status.passages,
        "phrases": status.phrases,
        "facts": status.facts,
        "mentions": status.mentions,
        "synonyms": status.synonyms,
        "malformed_triples": status.malformed_triples,
        "dropped_triples": status.dropped_triples,
        "passages_without_facts": status.passages_without_facts,
        "failed": status.states.get("failed", 0),
        "states": status.states,
        "reasons": [asdict(reason) for reason in status.reasons],
        "unlinked_phrases": status.unlinked,
        "unmentioned_phrases": status.unmentioned,
        "emptied_passages": status.emptied,
        "interrupted": status.interrupted,
        "running": [run.id for run in status.running],
        "last_run": run_summary(status.runs[0]) if status.runs else None,
        "embedding_model": graph.embedding_model,
        "dimensions": graph.dimensions,
        "normalisation": graph.normalisation,
        "synonym_threshold": graph.synonym_threshold,
        "filterable": dict(graph.filterable),
        "version": graph.version,
        "published": graph.published,
    }


def run_summary(run: "Run") -> dict[str, Any]:
    """How a run ended, or how far it is; `runs` tells the rest."""
    figures = ("passages", "unchanged", "written", "failed", "left", "deleted")
    counts = {name: run.figures[name] for name in figures if name in run.figures}
    return {
        "id": run.id,
        "kind": run.kind,
        "state": run.state,
        "recorded": run.recorded.isoformat(),
        "silent_seconds": round(run.silent, 1),
        **counts,
    }


def run_values(report: "IndexReport", left_out: list[str]) -> dict[str, Any]:
    """What one run did; `left_out` says why passages of the source were not taken."""
    return {
        "id": report.run,
        "passages": report.passages,
        "written": report.written,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "pruned": report.pruned,
        "overtaken": report.overtaken,
        "mistyped": {name: asdict(mistyped) for name, mistyped in report.mistyped.items()},
        "truncated": report.truncated,
        "repeated": report.repeated,
        "failed": report.failed,
        "left_out": left_out,
        "malformed_triples": report.malformed_triples,
        "dropped_triples": report.dropped_triples,
        "synonyms": report.synonyms,
        "prompt_tokens": report.prompt_tokens,
        "completion_tokens": report.completion_tokens,
        "answers_from_cache": report.from_cache,
        "stopped": report.stopped,
        "left": report.left,
        "model": report.model,
        "cost": report.spent.cost,
        "currency": report.spent.currency,
        "price_date": str(report.price.date) if report.price else None,
        "seconds": {stage: round(seconds, 3) for stage, seconds in report.seconds.items()},
    }


def summary_lines(status: "Status") -> list[tuple[str, str]]:
    """What a graph holds, as names and values for people."""
    graph = status.graph
    failed = status.states.get("failed", 0)
    lines = [
        ("passages", f"{status.passages:,}" + (f", {failed:,} of them failed" if failed else "")),
        ("phrases", f"{status.phrases:,}"),
        ("facts", f"{status.facts:,}"),
        ("mentions", f"{status.mentions:,}"),
        ("synonyms", f"{plural(status.synonyms, 'pair')} (cosine from {graph.synonym_threshold:g})"),
    ]
    if status.passages_without_facts:
        lines.append(("without facts", plural(status.passages_without_facts, "passage")))
    if status.malformed_triples:
        lines.append(("malformed", plural(status.malformed_triples, "triple") + " without exactly three parts"))
    if status.dropped_triples:
        lines.append(("dropped", plural(status.dropped_triples, "triple") + f" with {_DROPPED}"))
    lines += [("failed", f"{reason.passages:,} × {snippet(reason.error, 100)}") for reason in status.reasons]
    lines.append(("embeddings", f"{graph.embedding_model}, {graph.dimensions} dimensions"))
    lines.append(("normalisation", graph.normalisation))
    seen = "" if graph.published == graph.version else f", readers see {graph.published:,}"
    if graph.filterable:
        lines.append(("filterable", ", ".join(f"{name}:{kind}" for name, kind in graph.filterable.items())))
    lines.append(("version", f"{graph.version:,}{seen}"))
    if status.runs:
        lines.append(("last run", _last_run(status.runs[0])))
    return lines


def _last_run(run: "Run") -> str:
    counts = [
        f"{run.figures[name]:,} {name}" for name in ("written", "failed", "left", "deleted") if run.figures.get(name)
    ]
    given = plural(run.figures.get("passages", 0), "passage")
    if read := sum(usage.answered + usage.from_cache for usage in run.calls if usage.call == "triples"):
        counts.insert(0, f"{read:,} read")
    silent = f", last heard of {run.silent:.0f} s ago" if run.state in ("running", "lost") else ""
    return f"{run.id}, {run.kind}: {run.state}{silent}; {', '.join([given, *counts])}"


def two_columns(lines: Iterable[tuple[str, str]]) -> Table:
    """Names and values, one under the other."""
    table = Table.grid(padding=(0, 2))
    for name, value in lines:
        table.add_row(Text(name, style="dim"), Text(clean(value)))
    return table


def malformed_table(triples: "Iterable[MalformedTriple]") -> Table:
    """Malformed triples with their passages."""
    table = Table("row", "passage", "malformed triple", title="Triples without exactly three parts", title_style="")
    for triple in triples:
        row = "" if triple.row is None else str(triple.row)
        text = json.dumps(triple.triple, ensure_ascii=False)
        table.add_row(row, Text(clean(triple.title or triple.passage)), Text(clean(text)))
    return table


def failed_table(passages: "Iterable[FailedPassage]") -> Table:
    """Passages that could not be read, with the reason."""
    table = Table("passage", "reason", title="Passages that could not be read", title_style="")
    for passage in passages:
        table.add_row(Text(clean(passage.passage)), Text(clean(passage.error)))
    return table
