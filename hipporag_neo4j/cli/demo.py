"""`demo`: see what the graph finds and similarity doesn't."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.access import without_password
from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, DataDir, check_namespace_option, make_settings
from hipporag_neo4j.cli.progress import index_progress, waiting
from hipporag_neo4j.cli.retrieve import result_values

if TYPE_CHECKING:
    from hipporag_neo4j.demo import Chain, Comparison, DemoQuestion
    from hipporag_neo4j.domain import RetrievalResult
    from hipporag_neo4j.settings import Settings

_WIDEST = 110
_WHAT_FOLLOWS = (
    "Three questions, each asked twice: hipporag1 goes from the things that the question names along the facts in the "
    "graph; dense takes the passages whose texts are most like the question. Below are the best 3 passages of each, ✓ "
    "at those that are needed for the answer, and then the facts that lead from the question to it."
)


def demo(
    namespace: Annotated[
        str,
        typer.Option(
            "--namespace",
            "-n",
            metavar="NAME",
            callback=check_namespace_option,
            help="Where the sample goes; HIPPORAG_NAMESPACE doesn't count.",
        ),
    ] = "demo",
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """See it work: index a small invented world, ask three questions, compare with similarity search.

    Takes the server that NEO4J_URI names, else the local one, which is fetched and started where needed. The triples
    of the sample come with it, so no language model is needed. A second run finds everything in place.
    """
    begin = time.monotonic()
    settings = make_settings(namespace=namespace, data_dir=data_dir)
    place = _find_or_start_server(settings)
    with waiting("Loading"):
        from hipporag_neo4j.demo import OPENIE, compare
        from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(settings) as rag:
        with index_progress(_count_sample()) as progress:
            report = rag.import_openie(OPENIE, progress=progress)
        found = rag.status()
        how = f"indexed in {report.seconds['total']:.0f} s" if report.written else "unchanged since the last run"
        output.tell(
            f"The sample, {found.passages} passages about an invented archipelago, is in namespace {namespace!r} "
            f"({how}): {found.phrases} phrases, {found.facts} facts, {found.synonyms} pairs of synonyms."
        )
        if not as_json:
            output.stdout().print(f"\n{_WHAT_FOLLOWS}", width=min(output.stdout().width, _WIDEST))
        comparisons: list[Comparison] = []
        asked = compare(rag)
        while True:
            with waiting("Asking"):
                comparison = next(asked, None)
            if comparison is None:
                break
            comparisons.append(comparison)
            if not as_json:
                _show(output.stdout(), len(comparisons), comparison)
    if as_json:
        output.print_json(
            {"namespace": namespace, "server": place, "questions": [_values(comparison) for comparison in comparisons]}
        )
    else:
        _show_end(output.stdout(), settings, place, comparisons)
    output.tell(f"Done in {time.monotonic() - begin:.0f} s.")


def _find_or_start_server(settings: "Settings") -> str:
    """The address of the server; the local one is started when none is named and none runs."""
    if settings.neo4j_uri:
        return without_password(settings.neo4j_uri)
    from hipporag_neo4j import local_server
    from hipporag_neo4j.cli.server import shown_progress

    running = local_server.find_running(settings)
    if running is not None:
        return running.uri
    output.tell("No NEO4J_URI, and no local server runs: starting one. The first time its jars are fetched (186 MB).")
    with shown_progress(output.stderr()) as on_progress:
        report = local_server.start(settings, on_progress=on_progress)
    output.tell(f"The server is up after {report.seconds:.0f} s at {report.server.uri}.")
    return report.server.uri


def _count_sample() -> int:
    from hipporag_neo4j.demo import OPENIE
    from hipporag_neo4j.indexing.read_openie import read_openie

    return sum(1 for _ in read_openie(Path(OPENIE)))


def _show(console: Console, number: int, comparison: "Comparison") -> None:
    question = comparison.question
    width = min(console.width, _WIDEST)
    console.print()
    answer = Text.assemble((question.answer, "green"), f". It takes {len(question.gold)} passages together to know it.")
    console.print(
        _indented([(f"{number}", Text(question.question, style="bold")), ("", Text("Answer: ").append_text(answer))]),
        width=width,
    )
    table = Table(box=None, padding=(0, 1), width=width, pad_edge=True)
    for title, result in (
        ("hipporag1, walks the graph", comparison.graph),
        ("dense, similarity alone", comparison.dense),
    ):
        heading = f"{title}: {comparison.found(result)} of {len(question.gold)}"
        table.add_column(heading, ratio=1, no_wrap=True, header_style="bold", overflow="ellipsis")
    rows = zip(_cells(comparison.graph, question), _cells(comparison.dense, question), strict=False)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    chains = [("Facts" if position == 0 else "", _chain(chain)) for position, chain in enumerate(comparison.chains)]
    console.print(_indented(chains), width=width)


def _indented(lines: "list[tuple[str, Text]]") -> Table:
    """Lines with a mark before them; what doesn't fit goes on under the line, not under the mark."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    for mark, line in lines:
        table.add_row(f" {mark}" if mark else "", line)
    return table


def _cells(result: "RetrievalResult", question: "DemoQuestion") -> list[Text]:
    from hipporag_neo4j.demo import is_gold

    cells = []
    for rank, passage in enumerate(result.passages, start=1):
        gold = is_gold(passage, question)
        cell = Text(f"{rank} {'✓' if gold else ' '} ", style="green" if gold else "dim")
        cell.append(output.clean(passage.title), style="bold green" if gold else "")
        cell.append(f"\n    {output.snippet(passage.text, 100)}", style="dim")
        cells.append(cell)
    return cells


def _chain(chain: "Chain") -> Text:
    text = Text(output.clean(chain.start), style="cyan")
    for step in chain.steps:
        if step.predicate is None:
            text.append(" ~ ", style="dim")
        else:
            predicate = output.clean(step.predicate)
            arrow = f" ─{predicate}→ " if step.forward else f" ←{predicate}─ "
            text.append(arrow, style="dim")
        text.append(output.clean(step.phrase), style="cyan")
    return text


def _show_end(console: Console, settings: "Settings", place: str, comparisons: "list[Comparison]") -> None:
    from hipporag_neo4j import queries

    gold = sum(len(comparison.question.gold) for comparison in comparisons)
    walked = sum(comparison.found(comparison.graph) for comparison in comparisons)
    similar = sum(comparison.found(comparison.dense) for comparison in comparisons)
    last = comparisons[-1].question
    access = f"user {settings.neo4j_username}"
    if not settings.neo4j_uri:
        access += ", password: hipporag-neo4j server status --show-password"
    statement = queries.load("demo/show_demo").text.replace("'demo'", f"'{settings.namespace}'")
    width = min(console.width, _WIDEST)
    console.print()
    console.print(
        Text.assemble(
            ("✓", "green"),
            f" marks a passage that is needed for the answer. Of the {gold} that are needed, {walked} stand in the top "
            f"3 of hipporag1, {similar} in the top 3 of dense.",
        ),
        width=width,
    )
    console.print(Text(f"\nLook at the graph, in any Neo4j client at {place} ({access}):\n"), width=width)
    console.print(Text(statement, style="cyan"), soft_wrap=True)
    console.print("\nAsk something yourself, and see why it was found:\n")
    entities = " ".join(f'--entity "{entity}"' for entity in last.entities)
    asked = f'"{last.question}" --namespace {settings.namespace} --mode hipporag1 {entities}'
    console.print(
        Text(f"hipporag-neo4j retrieve {asked}\nhipporag-neo4j explain {asked}", style="cyan"),
        soft_wrap=True,
    )
    console.print("\nYour own documents: hipporag-neo4j index --help\n")
    if not settings.neo4j_uri:
        console.print("The server goes on running. Stop it: hipporag-neo4j server stop")


def _values(comparison: "Comparison") -> dict[str, Any]:
    question = comparison.question
    return {
        "question": question.question,
        "answer": question.answer,
        "gold": list(question.gold),
        "hipporag1": {"found": comparison.found(comparison.graph), **result_values(comparison.graph)},
        "dense": {"found": comparison.found(comparison.dense), **result_values(comparison.dense)},
        "paths": [_chain(chain).plain for chain in comparison.chains],
    }
