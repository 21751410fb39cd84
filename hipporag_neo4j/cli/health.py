"""`status --health`: the measures with their verdicts, for people and for programs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output

if TYPE_CHECKING:
    from hipporag_neo4j.inspection.health import Health

_STYLES = {"fine": "green", "look": "yellow", "repair": "bold red"}


def health_values(health: "Health") -> dict[str, Any]:
    """Measures, runs and notes under the names that programs read."""
    return {
        "measures": [{**asdict(measure), "share": measure.share} for measure in health.measures],
        "runs": [{**asdict(run), "since": run.since.isoformat()} for run in health.runs],
        "notes": list(health.notes),
    }


def show_health(console: Console, health: "Health") -> None:
    """Each measure with its verdict and what to do, then what each run gave."""
    from hipporag_neo4j.inspection.judge import MEASURED_ON

    measures = Table.grid(padding=(0, 2))
    for measure in health.measures:
        said = Text(f"{measure.says}.")
        if measure.advice:
            said.append(f"\n{measure.advice}")
        said.append(f"\n{measure.usual}", style="dim")
        if measure.see:
            said.append(f" See inspect {measure.see}.", style="dim")
        measures.add_row(Text(measure.verdict, style=_STYLES[measure.verdict]), said)
    console.print("\nHealth, without gold answers")
    console.print(measures)
    console.print(Text(f"MuSiQue: {MEASURED_ON}.", style="dim"))
    if health.runs:
        console.print()
        console.print(_trend(health))
    for note in health.notes:
        console.print(Text(note, style="dim"))


def _trend(health: "Health") -> Table:
    table = Table("run", "model", title="What each run gave, as far as it stands today", title_style="")
    for heading in ("passages", "without facts", "facts per 100 words", "malformed", "failed"):
        table.add_column(heading, justify="right")
    for run in health.runs:
        per_100_words = "" if run.per_100_words is None else f"{run.per_100_words:g}"
        figures = (
            f"{run.passages:,}",
            f"{run.without_facts:,}",
            per_100_words,
            f"{run.malformed:,}",
            f"{run.failed:,}",
        )
        table.add_row(f"{run.since.astimezone():%Y-%m-%d %H:%M}", Text(output.clean(run.model or "")), *figures)
    return table
