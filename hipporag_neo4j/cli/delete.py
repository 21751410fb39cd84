"""`delete`: passages out of the graph, with what only they said."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import status_values, summary_lines, two_columns
from hipporag_neo4j.cli.filters import metadata_value
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.delete_passages import DeleteReport

_SHOWN = 10


def delete(
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id",
            metavar="ID",
            help="Id of a passage; may be given several times. That of a long text, or of a part of it, means all its "
            "parts.",
        ),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="ID", help="Id of a document: all its parts.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="NAME=VALUE",
            help="Passages whose metadata has this value; several must all hold. A value that reads as JSON is taken "
            "as such: year=2019 is a number, year='\"2019\"' a text.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted, and delete nothing.")] = False,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Delete passages by id, by document or by metadata.

    Facts, phrases and synonyms that only these passages brought go with them, and nothing else changes. Needs no
    language model. Where an id names nothing, or nothing is found at all, the exit status is 1.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    if sum(map(bool, (ids, document is not None, where))) != 1:
        raise typer.BadParameter("Say what to delete in one way: by --id, by --document, or by --where.")
    conditions = _conditions(where or ())
    with HippoRAG(make_settings(namespace=namespace)) as rag:
        with waiting("Looking for the passages" if dry_run else "Deleting"):
            report = rag.delete(ids or None, document=document, where=conditions or None, dry_run=dry_run)
        found = rag.status()
    if as_json:
        output.print_json({**status_values(found), "run": _values(report)})
    elif report.ids:
        _show(report)
        output.stdout().print(two_columns(summary_lines(found)))
    output.list_some("Not in the graph", report.unknown, _SHOWN)
    if report.unknown or not report.ids:
        output.fail(_what_is_missing(report, rag.namespace, by_metadata=bool(where)))
        raise typer.Exit(1)


def _conditions(given: Iterable[str]) -> dict[str, Any]:
    """Names and values, as they were typed."""
    conditions: dict[str, Any] = {}
    for condition in given:
        name, equals, value = condition.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"--where {condition!r} isn't NAME=VALUE, such as year=2019.")
        if name in conditions:
            raise typer.BadParameter(f"--where names {name!r} twice; a passage can't have both values.")
        conditions[name] = metadata_value(value)
    return conditions


def _values(report: "DeleteReport") -> dict[str, Any]:
    seconds = {stage: round(seconds, 3) for stage, seconds in report.seconds.items()}
    values = {**asdict(report), "seconds": seconds}
    return {"id": values.pop("run") or None, **values}


def _show(report: "DeleteReport") -> None:
    what = output.plural(len(report.ids), "passage")
    if report.documents != len(report.ids):
        what += f" of {output.plural(report.documents, 'document')}"
    if report.dry_run:
        output.list_some(f"Would delete {what}", report.ids, _SHOWN)
        return
    parts = (
        output.plural(report.passages, "passage"),
        output.plural(report.facts, "fact"),
        output.plural(report.phrases, "phrase"),
        output.plural(report.mentions, "mention"),
    )
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.seconds.items() if stage != "total")
    output.tell(f"{', '.join(parts)} deleted in {report.seconds['total']:.1f} s ({stages}).")


def _what_is_missing(report: "DeleteReport", namespace: str, *, by_metadata: bool) -> str:
    if report.ids:
        done = "would be deleted" if report.dry_run else "is deleted"
        ids = output.plural(len(report.unknown), "id is", "ids are")
        return f"{ids} not in the graph {namespace!r}; what the others name {done}."
    hint = (
        "Values are compared with their kind: year=2019 is a number, year='\"2019\"' a text."
        if by_metadata
        else "Ids are those that `retrieve` shows; for a folder they are the files' paths in it."
    )
    return f"The graph {namespace!r} has no such passage. Nothing was deleted. {hint}"
