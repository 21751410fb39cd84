"""`runs`: what each run did, what it cost, and which goes on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import two_columns
from hipporag_neo4j.cli.money import duration, money, size, tokens
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hipporag_neo4j.runs import Run, TotalSpent

_STAGES = ("read", "embed", "write", "delete", "link", "publish")


def runs(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Show the report of this run: its id, or how that begins.")
    ] = None,
    namespace: Namespace = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many of the latest runs to list.")] = 20,
    report: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the report of RUN to a file, as Markdown.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the runs that wrote to a graph, with what they cost, or show the report of one.

    A run that was killed is told from one that goes on: it has not been heard of for a minute, and counts as lost.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    if report is not None and run is None:
        raise typer.BadParameter("--output writes the report of one run: name it.")
    with HippoRAG(make_settings(namespace=namespace)) as rag:
        found = (rag.run(run),) if run is not None else rag.runs(limit)
        spent = rag.spent() if run is None else ()
    if report is not None:
        output.write_file(report, _markdown(found[0]), f"The report of {found[0].id}")
    if as_json:
        values = [_values(one) for one in found]
        everything = {"namespace": rag.namespace, "runs": values, "spent": [_spent_values(one) for one in spent]}
        output.print_json(values[0] if run is not None else everything)
    elif run is not None:
        if report is None:
            output.stdout().print(two_columns(_lines(found[0])))
    elif found:
        output.stdout().print(_table(found))
        for one in spent:
            output.stdout().print(_spent_line(one))
    else:
        output.tell(f"Nothing has been written to the graph {rag.namespace!r} yet.")


def _table(found: "Sequence[Run]") -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for heading in ("run", "state"):
        table.add_column(heading, no_wrap=True)
    for heading in ("written", "left", "spent", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in found:
        figures = run.figures
        table.add_row(
            Text(run.id),
            f"{run.kind}, {run.state}",
            f"{figures.get('written', 0):,}" if run.kind == "index" else "",
            f"{figures['left']:,}" if figures.get("left") else "",
            _spent_by(run),
            duration(run.seconds["total"]),
        )
    return table


def _spent_by(run: "Run") -> str:
    """What a run cost, with the batches before it; tokens where there is no price of all of it."""
    figures, batch = run.figures, run.batch
    parts = [(figures.get("prompt_tokens", 0) + figures.get("completion_tokens", 0), figures.get("cost"))]
    currencies = {figures.get("currency")} if parts[0][0] else set()
    if batch is not None:
        parts.append((batch.prompt_tokens + batch.completion_tokens, batch.cost))
        currencies |= {batch.currency} if parts[1][0] else set()
    used = sum(taken for taken, _ in parts)
    costs = [cost for taken, cost in parts if taken and cost is not None]
    if len(costs) == sum(taken > 0 for taken, _ in parts) and len(currencies) == 1 and sum(costs):
        return money(sum(costs), currencies.pop())
    return f"{used:,} tokens" if used else ""


def _spent_line(spent: "TotalSpent") -> str:
    unpriced = f", {spent.unpriced_tokens:,} of them without a known price" if spent.unpriced_tokens else ""
    cost = f": {money(spent.cost, spent.currency)}" if spent.currency else ""
    used = tokens(spent.prompt_tokens, spent.completion_tokens)
    counts = [output.plural(spent.runs, "run")] if spent.runs or not spent.batches else []
    counts += [output.plural(spent.batches, "batch", "batches")] if spent.batches else []
    return output.clean(f"Spent on {spent.model} in {' and '.join(counts)}{cost}, {used}{unpriced}.")


def _lines(run: "Run") -> "Iterator[tuple[str, str]]":
    figures = run.figures
    yield "run", run.id
    yield "kind", run.kind
    silence = f", not heard of for {duration(run.silent)}" if run.state in ("running", "lost") else ""
    why = f" ({figures['stopped']})" if figures.get("stopped") else ""
    yield "state", f"{run.state}{why}{silence}"
    if run.started is not None:
        yield "started", f"{run.started.astimezone():%Y-%m-%d %H:%M:%S %Z}"
    if figures.get("source"):
        yield "source", figures["source"]
    for name, key in (("passages", "passages"), ("written", "written"), ("unchanged", "unchanged"), ("left", "left"),
                      ("failed", "failed"), ("deleted", "deleted"), ("repeated", "repeated"),
                      ("malformed", "malformed_triples"), ("dropped", "dropped_triples"), ("synonyms", "synonyms"),
                      ("facts", "facts"), ("phrases", "phrases")):  # fmt: skip
        if figures.get(key) or key == "passages":
            yield name, f"{figures.get(key, 0):,}"
    if figures.get("model"):
        yield "model", figures["model"]
        yield "prompts", figures.get("prompts", "")
    for usage in run.calls:
        cached = f", {usage.from_cache:,} from cache" if usage.from_cache else ""
        used = tokens(usage.prompt_tokens, usage.completion_tokens)
        yield usage.call, f"{output.plural(usage.calls, 'call')}{cached}, {used}"
    if figures.get("cost") is not None:
        yield "cost", f"{money(figures['cost'], figures['currency'])} (prices of {figures['price_date']})"
    if (batch := run.batch) is not None:
        priced = "price unknown"
        if batch.cost is not None:
            priced = f"{money(batch.cost, batch.currency)} (prices of batches of {batch.price_date})"
        used = tokens(batch.prompt_tokens, batch.completion_tokens)
        yield "read before", f"{output.plural(batch.batches, 'batch', 'batches')}, {used}, {priced}"
    yield (
        "seconds",
        ", ".join(f"{stage} {run.seconds[stage]:.1f}" for stage in (*_STAGES, "total") if stage in run.seconds),
    )
    if run.per_minute is not None:
        yield "rate", f"{run.per_minute:,.0f} passages a minute"
    if figures.get("peak_memory"):
        yield "memory", f"{size(figures['peak_memory'])} at most, of the client"
    if "version_before" in figures and run.state not in ("running", "lost"):
        yield "versions", f"{figures['version_before']} to {figures['version_after']}"


def _markdown(run: "Run") -> str:
    rows = "\n".join(f"| {name} | {_cell(value)} |" for name, value in _lines(run))
    return f"# Run {run.id}\n\n| | |\n|---|---|\n{rows}\n"


def _cell(text: str) -> str:
    return output.clean(text).replace("\n", " ").replace("|", "\\|")


def _values(run: "Run") -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "id": run.id,
        "kind": run.kind,
        "state": run.state,
        "started": run.started.isoformat() if run.started else None,
        "recorded": run.recorded.isoformat(),
        "silent_seconds": round(run.silent, 3),
        "passages_per_minute": round(run.per_minute, 1) if run.per_minute else None,
        **{name: value for name, value in run.figures.items() if name != "namespace"},
        "calls": [asdict(usage) for usage in run.calls],
        "batch": asdict(run.batch) if run.batch else None,
        "seconds": {stage: round(seconds, 3) for stage, seconds in run.seconds.items()},
    }


def _spent_values(spent: "TotalSpent") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(spent)
