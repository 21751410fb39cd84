"""`evaluate`: how much of what should be found is found."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, NoCache, make_settings

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Mode
    from hipporag_neo4j.evaluation import Entry


def evaluate(
    questions: Annotated[
        Path,
        typer.Argument(
            help="A question file of MuSiQue, HotpotQA or 2WikiMultihopQA, or a list of "
            '{"id", "question", "gold": passage ids} with, where wanted, "entities".'
        ),
    ],
    mode: Annotated[
        list[ModeName] | None,
        typer.Option(help="A mode to measure; give it once for each. hipporag1 and dense unless given."),
    ] = None,
    query_decisions: Annotated[
        list[Path] | None,
        typer.Option(
            "--query-decisions",
            metavar="FILE",
            help="Recorded decisions of a language model, to repeat a run without one; several files add up.",
        ),
    ] = None,
    looks: Annotated[
        int, typer.Option(min=1, max=3, help="How often hybrid looks for facts; each look costs a call and a walk.")
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask the first so many questions only.")] = None,
    namespace: Namespace = None,
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="With --json: what was found for each question, too.")
    ] = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Ask the questions of a test set, and measure what share of the gold passages is found, and how long it takes.

    R@5 is the share of a question's gold passages among the first 5; all@5 the share of questions with all of them.
    """
    from hipporag_neo4j import evaluation
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.schema import open_graph

    settings = make_settings(namespace=namespace, llm_cache=False if no_cache else None)
    entries = _entries(mode or [ModeName("hipporag1"), ModeName("dense")])
    asked = evaluation.read_questions(questions)[:limit]
    decisions = evaluation.read_decisions(query_decisions) if query_decisions else None
    with HippoRAG(settings) as rag, _bars() as bars:
        open_graph(rag.database, rag.namespace)  # no graph is another mistake than questions about another one
        tasks = {entry.name: bars.add_task(entry.name, total=len(asked)) for entry in entries}
        result = evaluation.run(
            rag.retrieve,
            lambda some: evaluation.find_gold(rag.database, rag.namespace, some),
            asked,
            entries,
            decisions=decisions,
            looks=looks,
            progress=lambda name, done, total: bars.update(tasks[name], completed=done, total=total),
        )
    if as_json:
        output.print_json(evaluation.to_json(result, outcomes=outcomes))
        for warning in result.warnings:
            output.warn(warning)
        return
    console = output.stdout()
    console.print(evaluation.to_table(result))
    console.print(evaluation.to_latency_table(result))
    for line in evaluation.summary(result):
        output.tell(line)


def _entries(modes: list[ModeName]) -> "list[Entry]":
    """The lines of the table, one a name."""
    from hipporag_neo4j.evaluation import Entry

    return [Entry(name, cast("Mode", name)) for name in dict.fromkeys(map(str, modes))]


def _bars() -> Progress:
    """A bar a mode on a terminal, nothing elsewhere."""
    console = output.stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
