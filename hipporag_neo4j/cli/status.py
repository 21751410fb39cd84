"""`status`: what a graph holds."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.comparison import comparison_lines, comparison_values, next_run
from hipporag_neo4j.cli.figures import failed_table, malformed_table, status_values, summary_lines, two_columns
from hipporag_neo4j.cli.health import health_values, show_health
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import waiting
from hipporag_neo4j.runs import BEAT

if TYPE_CHECKING:
    from hipporag_neo4j.schema import Listed
    from hipporag_neo4j.status import Status

_SHOWN = 10


def status(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SOURCE]",
            help="Compare passages with the graph too, as `index SOURCE --dry-run` does: which are new, changed, read "
            "already, failed, unchanged.",
        ),
    ] = None,
    namespace: Namespace = None,
    malformed: Annotated[
        bool, typer.Option("--malformed", help="Name the triples without exactly three parts, with their passages.")
    ] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Name the passages the language model could not read, with the reason.")
    ] = False,
    health: Annotated[
        bool,
        typer.Option("--health", help="Judge how well the passages became a graph: measures, verdicts, what to do."),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="List the graphs in the database, one a namespace, in place of counting one.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many --malformed and --failed name at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Count what a graph holds, and say what is left to do."""
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.status import list_failed, list_malformed

    if every and (malformed or failed or health or source):
        raise typer.BadParameter("--all lists graphs; SOURCE, --malformed, --failed and --health look into one.")
    with HippoRAG(make_settings(namespace=namespace)) as rag:
        if every:
            _list_graphs(rag.graphs(), as_json=as_json)
            return
        with waiting("Counting"):
            found = rag.status()
        triples = list_malformed(rag.database, rag.namespace, limit) if malformed else ()
        passages = list_failed(rag.database, rag.namespace, limit) if failed else ()
        problems: list[str] = []
        compared = None
        if source is not None:
            with waiting("Comparing the source with the graph"):
                compared = rag.compare(source, on_problem=lambda error: problems.append(str(error)))
        judged = None
        if health:
            with waiting("Measuring"):
                judged = rag.health()
    if as_json:
        values: dict[str, Any] = {**status_values(found), "advice": list(_advice(found))}
        if compared:
            values["source"] = comparison_values(compared, problems)
        if malformed:
            values["malformed"] = [asdict(triple) for triple in triples]
        if failed:
            values["failed_passages"] = [asdict(passage) for passage in passages]
        if judged:
            values["health"] = health_values(judged)
        output.print_json(values)
        return
    console = output.stdout()
    console.print(two_columns([("namespace", found.graph.namespace), *summary_lines(found)]))
    if compared:
        console.print(two_columns([("", ""), *comparison_lines(compared)]))
        output.list_some("Can't be used", problems, _SHOWN)
    if triples:
        console.print(malformed_table(triples))
    elif malformed:
        console.print("No triple is malformed.")
    if passages:
        console.print(failed_table(passages))
    elif failed:
        console.print("No passage failed.")
    if judged:
        show_health(console, judged)
    for line in _advice(found):
        output.warn(line)
    if compared:
        for line in next_run(compared, prune=False):
            output.tell(line)


def _list_graphs(graphs: "Sequence[Listed]", *, as_json: bool) -> None:
    if as_json:
        output.print_json({"graphs": [{**asdict(graph), "created": graph.created.isoformat()} for graph in graphs]})
        return
    if not graphs:
        output.tell("The database holds no graph. Index passages: hipporag-neo4j index SOURCE, or import-openie FILE.")
        return
    table = Table("namespace", "embedding model", "schema", "made")
    for graph in graphs:
        cells = (graph.namespace, graph.embedding_model, str(graph.schema_version))
        made = f"{graph.created.astimezone():%Y-%m-%d}{', being dropped' if graph.dropping else ''}"
        table.add_row(*(Text(output.clean(cell)) for cell in cells), made)
    output.stdout().print(table)


def _left(found: "Status") -> Iterator[str]:
    """What a run does that comes, or goes on, whatever it is given."""
    if found.unlinked:
        yield f"synonyms of {output.plural(found.unlinked, 'phrase')} to look for"
    if found.unmentioned:
        yield f"{output.plural(found.unmentioned, 'phrase')} to delete that no passage mentions"
    if found.emptied:
        yield f"{output.plural(found.emptied, 'node')} of deleted passages to delete"
    if found.graph.version != found.graph.published:
        yield f"version {found.graph.version:,} to publish"


def _advice(found: "Status") -> Iterator[str]:
    """What to do next, a sentence or two each; nothing when all is well."""
    if not found.passages and not found.running:
        yield "The graph is empty. Add passages: hipporag-neo4j index SOURCE, or import-openie FILE."
    if found.running:
        silent = min(run.silent for run in found.running)
        doubt = f", or was killed: it was last heard of {silent:.0f} s ago" if silent > 3 * BEAT else ""
        yield f"A run goes on{doubt}. Readers see the graph as it was published before."
    elif found.interrupted:
        yield (
            "A run was cut off, and readers see the graph as it was published before. Run the same command again: it "
            "goes on from there."
        )
    if left := list(_left(found)):
        yield f"Left for {'it' if found.running else 'the next run'}: {'; '.join(left)}."
    if failed := found.states.get("failed", 0):
        yield (
            f"{output.plural(failed, 'passage')} could not be read by the language model: see --failed. Run "
            "retry-failed to try them once more."
        )
