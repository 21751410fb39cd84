"""`drop`: a whole graph out of the database, after asking."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import progress_bars, waiting

if TYPE_CHECKING:
    from hipporag_neo4j.drop import DropReport

_SHOWN = 10


def drop(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be dropped, and drop nothing.")] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help="Also drop the indexes and constraints; only where the database holds no other graph."
        ),
    ] = False,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a whole graph: passages, phrases, facts, kept answers, runs, projections. Nothing else is touched.

    It asks first. What broke off goes on when the command is run again; until then the graph can't be used.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(make_settings(namespace=namespace)) as rag:
        with waiting("Counting"):
            there = rag.drop(schema=schema, dry_run=True)
        _warn_of_batches(there)
        if not dry_run:
            if not yes:
                _ask(there, schema=schema)
            with progress_bars() as bars:
                task = bars.add_task("Dropping", total=None)
                report = rag.drop(
                    schema=schema, progress=lambda done, total: bars.update(task, completed=done, total=total)
                )
        else:
            report = there
    if as_json:
        output.print_json(_values(report))
    elif dry_run:
        output.tell(f"Would drop {_what(report, schema=schema)}.")
    else:
        _show(report, schema=schema)


def _ask(there: "DropReport", *, schema: bool) -> None:
    if not sys.stdin.isatty():
        raise typer.BadParameter("Nobody can be asked here. Add --yes to drop the graph all the same.")
    typer.confirm(f"Drop {_what(there, schema=schema)}? There is no way back.", abort=True, err=True)


def _warn_of_batches(there: "DropReport") -> None:
    if there.batches_under_way:
        output.warn(
            f"{output.plural(there.batches_under_way, 'batch is', 'batches are')} under way at the language model's "
            "endpoint, and dropping the graph doesn't stop that: what they answer is billed, and can't be collected "
            f"any more. To stop them before: hipporag-neo4j batch cancel --namespace {there.namespace}"
        )


def _what(report: "DropReport", *, schema: bool) -> str:
    parts = ["the indexes and constraints"] if schema else []
    if report.namespace in report.graphs:
        counts = (
            output.plural(report.passages, "passage"),
            output.plural(report.phrases, "phrase"),
            output.plural(report.facts, "fact"),
            output.plural(report.answers, "kept answer"),
            output.plural(report.runs, "run"),
            *([output.plural(report.batches, "batch", "batches")] if report.batches else []),
            output.plural(report.projections, "projection"),
        )
        parts.insert(0, f"the graph {report.namespace!r} ({', '.join(counts)})")
    elif report.left_over:
        counts = (
            output.plural(report.answers, "kept answer"),
            output.plural(report.runs, "run"),
            output.plural(report.batches, "batch", "batches"),
        )
        parts.insert(0, f"what a drop left over in namespace {report.namespace!r} ({', '.join(counts)}; no graph)")
    return " and ".join(parts)


def _values(report: "DropReport") -> dict[str, Any]:
    return {**asdict(report), "seconds": round(report.seconds, 3)}


def _show(report: "DropReport", *, schema: bool) -> None:
    if report.left_over:
        output.tell(
            f"The namespace {report.namespace!r} held no graph; deleted what a drop had left over, since it was "
            f"written while that ended: {output.plural(report.nodes, 'node')}."
        )
    elif report.nodes:
        output.tell(
            f"The graph {report.namespace!r} is dropped: {output.plural(report.nodes, 'node')} with their "
            f"relationships, {output.plural(report.projections, 'projection')}, in {report.seconds:.1f} s."
        )
    if schema:
        output.tell(
            f"{output.plural(len(report.constraints), 'constraint')} and "
            f"{output.plural(len(report.indexes), 'index', 'indexes')} are dropped."
        )
    elif not report.graphs:
        output.tell(
            "No graph is left in the database; indexes and constraints are. Drop them too: hipporag-neo4j drop --schema"
        )
    output.list_some("Graphs that are left", report.graphs, _SHOWN)
