"""`doctor`: examine everything, say what to do."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from hipporag_neo4j.doctor import Finding

_MARKS = {
    "ok": ("ok", "green"),
    "skipped": ("-", "dim"),
    "warning": ("warning", "yellow"),
    "problem": ("PROBLEM", "red"),
}


def doctor(namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Check server, versions, graph, indexes and models, and say for each what to do. Writes nothing.

    The exit status is 1 when there is a problem, 0 otherwise, warnings included.
    """
    settings = make_settings(namespace=namespace)
    with waiting("Loading"):
        from hipporag_neo4j.doctor import examine

    console = output.stdout()
    findings: list[Finding] = []
    checks = examine(settings)
    while True:
        with waiting("Checking"):
            finding = next(checks, None)
        if finding is None:
            break
        findings.append(finding)
        if not as_json:
            _show(console, finding)
    problems = sum(finding.level == "problem" for finding in findings)
    if as_json:
        output.print_json({"ok": not problems, "findings": [asdict(finding) for finding in findings]})
    if problems:
        output.fail(f"{output.plural(problems, 'problem')} found.")
        raise typer.Exit(1)
    if not as_json:
        output.tell("No problem found.")


def _show(console: Console, finding: "Finding") -> None:
    mark, style = _MARKS[finding.level]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=7)
    table.add_column(width=18)
    table.add_column(overflow="fold")
    text = Text(output.clean(finding.found))
    table.add_row(Text(mark, style=style), Text(finding.check), text)
    if finding.advice:
        table.add_row("", "", Padding(Text(f"-> {output.clean(finding.advice)}", style="bold"), (0, 0)))
    console.print(table)
