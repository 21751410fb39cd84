"""`existing check`: a dry run over a graph that others made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, make_settings
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from hipporag_neo4j.existing.check import Check

existing_app = typer.Typer(
    rich_markup_mode=None,
    short_help="A graph that you have already.",
    no_args_is_help=True,
    help="A graph that is there already: a file says what its nodes and relationships are, `check` what comes of that, "
    "and `retrieve` and `ask --graph FILE` search it. Nothing is written to it.",
)
_MEGABYTE = 2**20


@existing_app.callback()
def _group() -> None: ...


@existing_app.command("check", short_help="What a file finds there: a dry run.")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What the graph holds, in TOML or YAML.")],
    cypher: Annotated[bool, typer.Option("--cypher", help="Show the statements that project and rank.")] = False,
    samples: Annotated[int, typer.Option(min=0, max=100, help="Passages that are shown.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Show what a file finds in the database, what would be projected, and which modes work: a dry run.

    Counts all that the file names, and writes nothing. Exit status 1 where something looks wrong.
    """
    from hipporag_neo4j.facade.existing import ExistingGraph

    with ExistingGraph(file, make_settings()) as graph, waiting("Looking"):
        found = graph.check(samples=samples)
    if as_json:
        output.print_json(check_values(found))
    else:
        _show(output.stdout(), found, cypher=cypher)
    if found.problems:
        raise typer.Exit(1)


def check_values(found: "Check") -> dict[str, Any]:
    """A dry run as plain values."""
    return {
        "parts": [{"what": part.what, "count": part.count, "details": part.details} for part in found.parts],
        "projections": [
            {"shape": size.shape, "nodes": size.nodes, "relationships": size.relationships, "bytes": size.most_bytes}
            for size in found.sizes
        ],
        "modes": [{"mode": one.mode, "works": one.works, "note": one.note} for one in found.modes],
        "problems": list(found.problems),
        "passages": [
            {"id": one.id, "title": one.title, "text": one.text, "phrases": list(one.phrases)} for one in found.passages
        ],
        "facts": [
            {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object} for fact in found.facts
        ],
        "statements": dict(found.statements),
    }


def _show(console: Console, found: "Check", *, cypher: bool) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    table.add_column(style="dim", overflow="fold")
    for part in found.parts:
        table.add_row(output.clean(part.what), f"{part.count:,}", output.clean(part.details))
    console.print(table)
    console.print()
    for size in found.sizes:
        console.print(
            f"Projection of {size.shape}: {size.nodes:,} nodes, {size.relationships:,} relationships, at most "
            f"{max(1, round(size.most_bytes / _MEGABYTE)):,} MB of the server's memory with a walk."
        )
    console.print()
    modes = Table.grid(padding=(0, 2, 0, 0))
    modes.add_column(style="bold", no_wrap=True)
    modes.add_column(no_wrap=True)
    modes.add_column(overflow="fold")
    for one in found.modes:
        sign = Text("works", style="green") if one.works else Text("lacks", style="yellow")
        modes.add_row(one.mode, sign, output.clean(one.note or ""))
    console.print(modes)
    for passage in found.passages:
        console.print()
        console.print(Text(output.clean(passage.title or passage.id), style="bold"))
        console.print(output.snippet(passage.text))
        console.print(Text("mentions " + (output.clean(", ".join(passage.phrases)) or "nothing"), style="dim"))
    if found.facts:
        console.print()
        for fact in found.facts:
            console.print(output.clean(f"{fact.subject} ─ {fact.predicate} → {fact.object}"))
    if cypher:
        for name, text in found.statements.items():
            console.print(f"\n// {name}\n{output.clean(text)}", soft_wrap=True)
    console.print()
    for problem in found.problems:
        console.print(Text(output.clean(problem), style="bold yellow"))
    if not found.problems:
        console.print("Nothing looks wrong.")
