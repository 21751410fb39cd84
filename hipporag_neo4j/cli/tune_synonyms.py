"""`tune-synonyms`: what each synonym threshold would join, and the change to another one."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.progress import TaskID
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.idle_options import refuse_idle
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, check_cosine, make_settings
from hipporag_neo4j.cli.progress import progress_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hipporag_neo4j.domain import Mode
    from hipporag_neo4j.evaluation.summarise import ModeResult
    from hipporag_neo4j.evaluation.tune_synonyms import Tuning
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.tune_synonyms import Candidate, SamplePair
    from hipporag_neo4j.settings import Settings

_RECALL_AT = (2, 5, 10)
_FIRST, _LAST, _STEP = 0.6, 0.95, 0.05
_MOST = 100


def _check_cosines(values: list[float] | None) -> list[float] | None:
    for value in values or ():
        check_cosine(value)
    return values


def tune_synonyms(
    context: typer.Context,
    begin: Annotated[
        float | None,
        typer.Option(
            "--from", metavar="COSINE", callback=check_cosine, help=f"First threshold; {_FIRST:g} unless given."
        ),
    ] = None,
    end: Annotated[
        float | None,
        typer.Option("--to", metavar="COSINE", callback=check_cosine, help=f"Last threshold; {_LAST:g} unless given."),
    ] = None,
    step: Annotated[
        float | None, typer.Option(metavar="WIDTH", help=f"From one threshold to the next; {_STEP:g} unless given.")
    ] = None,
    threshold: Annotated[
        list[float] | None,
        typer.Option(
            metavar="COSINE",
            callback=_check_cosines,
            help="A threshold to try, in place of a range; give it once for each.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=0, max=1000, metavar="N", help="Pairs to show on either side of each threshold.")
    ] = 5,
    questions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Questions with gold passages, as for evaluate: measure recall, too."),
    ] = None,
    query_decisions: Annotated[
        list[Path] | None,
        typer.Option(
            "--query-decisions",
            metavar="FILE",
            help="Recorded decisions of a language model about the questions; several files add up.",
        ),
    ] = None,
    mode: Annotated[
        list[ModeName] | None,
        typer.Option(
            metavar="MODE",
            help="hipporag1, hipporag2 or hybrid, in which the questions are asked; give it once for each. hybrid "
            "unless given.",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Ask the first so many questions only.")] = None,
    apply: Annotated[
        float | None,
        typer.Option(
            metavar="COSINE",
            callback=check_cosine,
            help="Give the graph this threshold: its synonyms change, and later runs of index link with it.",
        ),
    ] = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """See what each synonym threshold would join, from the vectors in the graph; choose one with --apply.

    The right threshold is a property of the embedding model. For each one: pairs of phrases, phrases with a synonym,
    the largest group that synonyms hold together, and the pairs nearest to it, above and below. Nothing is embedded
    again, and without --apply nothing is written.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    settings = make_settings(namespace=namespace)
    if apply is not None:
        others = {str(option.name) for option in context.command.params} - {"apply", "namespace", "as_json"}
        refuse_idle(context, others, "--apply stands alone.")
        with HippoRAG(settings) as rag:
            _apply(rag, settings, apply, as_json=as_json)
        return
    if questions is None:
        refuse_idle(context, ("query_decisions", "mode", "limit"), "without --questions FILE nothing is asked.")
    if threshold:
        refuse_idle(context, ("begin", "end", "step"), "--threshold takes the place of a range.")
    thresholds = threshold or _range(begin, end, step)
    with HippoRAG(settings) as rag:
        tuning = _tune(rag, thresholds, samples, questions, query_decisions, mode, limit)
    if as_json:
        output.print_json(_values(tuning))
    else:
        _show(tuning)
    for note in tuning.notes:
        output.warn(note)


def _range(begin: float | None, end: float | None, step: float | None) -> list[float]:
    """Thresholds from one to another, both included where the step meets them."""
    first = _FIRST if begin is None else begin
    last = _LAST if end is None else end
    width = _STEP if step is None else step
    if not width > 0:
        raise typer.BadParameter(f"the step is {width:g}: take more than 0, such as 0.05.")
    if first > last:
        raise typer.BadParameter(f"--from {first:g} is above --to {last:g}: exchange them.")
    steps = (last - first) / width  # infinitely many for the narrowest
    if steps > _MOST - 1 + 1e-9:
        raise typer.BadParameter(f"these are more than {_MOST} thresholds: take a wider --step.")
    return [round(first + place * width, 10) for place in range(int(steps + 1e-9) + 1)]


def _tune(
    rag: "HippoRAG",
    thresholds: list[float],
    samples: int,
    questions: Path | None,
    query_decisions: list[Path] | None,
    mode: list[ModeName] | None,
    limit: int | None,
) -> "Tuning":
    from hipporag_neo4j import evaluation

    modes = cast("list[Mode]", [str(one) for one in mode or (ModeName("hybrid"),)])
    asked = evaluation.read_questions(questions)[:limit] if questions else ()
    decisions = evaluation.read_decisions(query_decisions) if query_decisions else None
    with progress_bars() as bars:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        return rag.tune_synonyms(
            thresholds, samples=samples, questions=asked, modes=modes, decisions=decisions, progress=progress
        )


def _apply(rag: "HippoRAG", settings: "Settings", threshold: float, *, as_json: bool) -> None:
    start = time.perf_counter()
    with progress_bars() as bars:
        task = bars.add_task("Comparing phrases", total=None)
        done = rag.set_synonym_threshold(
            threshold, progress=lambda some, all_: bars.update(task, completed=some, total=all_)
        )
    seconds = time.perf_counter() - start
    if as_json:
        output.print_json(
            {
                "namespace": rag.namespace,
                "before": done.before,
                "threshold": done.threshold,
                "pairs": done.pairs,
                "added": done.added,
                "removed": done.removed,
                "published": done.published,
                "seconds": round(seconds, 3),
            }
        )
    else:
        before = f", before from {done.before:g}" if done.before != done.threshold else ", as before"
        output.stdout().print(
            f"Synonyms from {done.threshold:g} on{before}: {output.plural(done.added, 'pair')} joined, "
            f"{done.removed:,} parted, {done.pairs:,} now. {seconds:.1f} s."
        )
    if not done.published:
        output.warn(
            "An indexing run is under way or was cut off, so readers see the graph as it was published before. If none "
            "runs, run its command again: it goes on from there, and publishes."
        )
    if settings.synonym_threshold not in (None, done.threshold):
        output.warn(
            f"HIPPORAG_SYNONYM_THRESHOLD is {settings.synonym_threshold:g}: unset it, or set it to {done.threshold:g}, "
            "else index and import-openie will refuse this graph."
        )


def _values(tuning: "Tuning") -> dict[str, Any]:
    graph = tuning.graph
    return {
        "namespace": graph.namespace,
        "embedding_model": graph.embedding_model,
        "synonym_threshold": graph.synonym_threshold,
        "phrases": tuning.phrases,
        "unlinked_phrases": tuning.unlinked,
        "thresholds": [_candidate_values(tuning, candidate) for candidate in tuning.candidates],
        "notes": list(tuning.notes),
    }


def _candidate_values(tuning: "Tuning", candidate: "Candidate") -> dict[str, Any]:
    values: dict[str, Any] = {
        "threshold": candidate.threshold,
        "too_many": candidate.pairs is None,
        "pairs": candidate.pairs,
        "phrases_joined": candidate.phrases_joined,
        "largest_component": candidate.largest_component,
        "above": [_pair_values(pair) for pair in candidate.above],
        "below": [_pair_values(pair) for pair in candidate.below],
    }
    if tuning.recall:
        values["recall"] = {
            mode: _recall(result) for mode, result in tuning.recall.get(candidate.threshold, {}).items()
        }
    return values


def _pair_values(pair: "SamplePair") -> dict[str, Any]:
    return {"first": pair.first, "second": pair.second, "cosine": pair.cosine}


def _recall(result: "ModeResult") -> dict[str, float]:
    return {f"recall@{k}": result.recall[k] for k in _RECALL_AT}


def _show(tuning: "Tuning") -> None:
    console = output.stdout()
    graph = tuning.graph
    table = Table(title=f"{tuning.phrases:,} phrases, {graph.embedding_model}", title_style="")
    for heading in ("from", "pairs", "per phrase", "joined", "largest group"):
        table.add_column(heading, justify="right", no_wrap=True)
    for candidate in tuning.candidates:
        now = candidate.threshold == graph.synonym_threshold
        table.add_row(f"{candidate.threshold:g}", *_figures(candidate, tuning.phrases), style="bold" if now else "")
    console.print(table)
    console.print(
        Text(f"The graph joins from {graph.synonym_threshold:g} on. To change it: --apply COSINE.", style="dim")
    )
    if tuning.recall:
        console.print()
        console.print(_recall_table(tuning))
    if any(candidate.above or candidate.below for candidate in tuning.candidates):
        console.print()
        console.print(_ladder(tuning.candidates))


def _figures(candidate: "Candidate", phrases: int) -> list[str]:
    if candidate.pairs is None or candidate.phrases_joined is None or candidate.largest_component is None:
        return ["too many", "", "", ""]
    return [
        f"{candidate.pairs:,}",
        f"{candidate.pairs / phrases:.2f}",
        f"{candidate.phrases_joined / phrases:.0%}",
        f"{candidate.largest_component:,}",
    ]


def _recall_table(tuning: "Tuning") -> Table:
    table = Table(title="Recall", title_style="")
    table.add_column("mode", no_wrap=True)
    for heading in ("from", *(f"R@{k}" for k in _RECALL_AT)):
        table.add_column(heading, justify="right", no_wrap=True)
    for mode in next(iter(tuning.recall.values())):
        for threshold, figures in tuning.recall.items():
            now = threshold == tuning.graph.synonym_threshold
            recall = [f"{figures[mode].recall[k]:.3f}" for k in _RECALL_AT]
            table.add_row(mode, f"{threshold:g}", *recall, style="bold" if now else "")
        table.add_section()
    return table


def _ladder(candidates: "Sequence[Candidate]") -> Table:
    """The sample pairs, the highest cosine on top, with a line where each threshold lies."""
    table = Table(title="Pairs nearest to each threshold: would you join them?", title_style="", box=None)
    table.add_column("cosine", justify="right", style="cyan", no_wrap=True)
    table.add_column("phrase", overflow="fold")
    table.add_column("phrase", overflow="fold")
    for candidate in reversed(candidates):
        if candidate.pairs is None:
            continue
        for pair in reversed(candidate.above):
            _add_pair(table, pair)
        line = Text(f"{candidate.threshold:g} joins what is above this line", style="bold")
        table.add_row(Text("─" * 6), line, Text(""))
        for pair in candidate.below:
            _add_pair(table, pair)
        table.add_row()
    return table


def _add_pair(table: Table, pair: "SamplePair") -> None:
    table.add_row(f"{pair.cosine:.4f}", Text(output.clean(pair.first)), Text(output.clean(pair.second)))
