"""What the commands that add passages share: count what is to come, write with a progress bar, show what was done."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import malformed_table, run_values, status_values, summary_lines, two_columns
from hipporag_neo4j.cli.money import money, tokens
from hipporag_neo4j.cli.progress import IndexProgress, index_progress, waiting
from hipporag_neo4j.errors import InputError

if TYPE_CHECKING:
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.check_passages import OnProblem
    from hipporag_neo4j.indexing.index_report import IndexReport

_SHOWN = 10
STOPPED = 3
"""Exit status of a run that ended at its budget: the same command goes on."""


def write_and_show(
    rag: "HippoRAG",
    count: "Callable[[OnProblem], int]",
    write: "Callable[[IndexProgress, OnProblem], IndexReport]",
    *,
    show_malformed: int,
    as_json: bool,
    prune: bool = False,
    skipped: Sequence[str] = (),
) -> None:
    """Count what is to come, which finds a broken file before anything is written; write; report."""
    from hipporag_neo4j.status import list_failed, list_malformed

    foreseen: list[str] = []
    try:
        with waiting("Counting the passages"):
            total = count(lambda error: foreseen.append(str(error)))
    except InputError:
        output.list_some("Left out", foreseen, _SHOWN)
        raise
    output.list_some("Skipped, no kind of file that is read", skipped, _SHOWN)
    problems: list[str] = []
    with index_progress(total) as progress:
        report = write(progress, lambda error: problems.append(str(error)))
    found = rag.status()
    malformed = list_malformed(rag.database, rag.namespace, show_malformed) if show_malformed else ()
    failed = list_failed(rag.database, rag.namespace, _SHOWN) if report.failed else ()
    if as_json:
        values: dict[str, Any] = {**status_values(found), "run": run_values(report, problems)}
        if show_malformed:
            values["malformed"] = [asdict(triple) for triple in malformed]
        if failed:
            values["failed_passages"] = [asdict(passage) for passage in failed]
        output.print_json(values)
    else:
        _show_run(report, prune=prune)
        output.stdout().print(two_columns(summary_lines(found)))
        if malformed:
            output.stdout().print(malformed_table(malformed))
    for warning in _mistyped(report):
        output.warn(warning)
    output.list_some("Left out", problems, _SHOWN)
    reasons = [f"{passage.passage}: {passage.error}" for passage in failed]
    output.list_some("Could not be read", reasons, _SHOWN, of=report.failed)
    if problems or report.failed:
        if prune and problems:
            output.warn("Nothing was pruned, since not all of the source could be used.")
        output.fail(_what_is_missing(len(problems), report.failed))
    if report.stopped:
        output.fail(_why_it_stopped(report, prune=prune))
        raise typer.Exit(STOPPED)
    if problems or report.failed:
        raise typer.Exit(1)


def _mistyped(report: "IndexReport") -> Iterator[str]:
    """Which metadata can't be filtered by as it is declared, a sentence each."""
    for name, found in report.mistyped.items():
        more = ", …" if found.passages > len(found.first) else ""
        yield (
            f"{output.plural(found.passages, 'passage has', 'passages have')} a value of {name!r} that is no "
            f"{found.kind}, as it is declared: a filter on it never allows them ({', '.join(found.first)}{more})."
        )


def _what_is_missing(left_out: int, not_read: int) -> str:
    """How many passages were left out of the source or not read by the model, and what to do about each."""
    counts = [(left_out, "left out"), (not_read, "not read")]
    said = ", ".join(f"{output.plural(number, 'passage')} {what}" for number, what in counts if number)
    steps = []
    if left_out:
        steps.append("What is left out can't be used as it stands: correct it in the source, then run again.")
    if not_read:
        steps.append("Run hipporag-neo4j retry-failed to have the language model try what it did not read.")
    return f"{said}; everything else is written. {' '.join(steps)}"


def _why_it_stopped(report: "IndexReport", *, prune: bool) -> str:
    """What ended the run, how much is left, and how to go on."""
    left = output.plural(report.left, "passage")
    kept = "What was read is written and can be asked" + (", and nothing was pruned." if prune else ".")
    if report.stopped == "uncounted":
        return (
            f"The endpoint of {report.model!r} doesn't say how many tokens an answer takes, so that no budget can be "
            f"kept: {left} left. {kept} Run the same command again without --max-tokens and --max-cost to go on."
        )
    option = "--max-cost" if report.stopped == "max_cost" else "--max-tokens"
    return (
        f"The run stopped where the next passage would pass its budget ({option}): {left} left. {kept} Run the same "
        "command again to go on with a new budget; what is written costs nothing again."
    )


def _show_run(report: "IndexReport", *, prune: bool) -> None:
    parts = [f"{report.written:,} of {output.plural(report.passages, 'passage')} written"]
    if report.unchanged:
        parts.append(f"{report.unchanged:,} unchanged")
    if report.repeated:
        parts.append(f"{report.repeated:,} repeated")
    if report.deleted:
        parts.append(f"{output.plural(report.deleted, 'old part')} deleted")
    if prune:
        parts.append(f"{report.pruned:,} pruned")
    if report.overtaken:
        parts.append(f"{report.overtaken:,} left as another client wrote them meanwhile")
    if report.truncated:
        parts.append(f"{report.truncated:,} with an answer cut off (raise HIPPORAG_LLM_MAX_TOKENS)")
    if report.left:
        parts.append(f"{report.left:,} left")
    spent = report.spent
    if spent.prompt_tokens or spent.completion_tokens:
        parts.append(tokens(spent.prompt_tokens, spent.completion_tokens))
    if spent.cost and report.price:
        parts.append(f"{money(spent.cost, spent.currency)} (prices of {report.price.date})")
    if report.from_cache:
        parts.append(f"{output.plural(report.from_cache, 'answer')} from cache")
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.seconds.items() if stage != "total")
    output.tell(f"{', '.join(parts)} in {report.seconds['total']:.1f} s ({stages}).")
