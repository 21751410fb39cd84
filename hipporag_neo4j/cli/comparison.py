"""A source beside a graph, shown: what a run would do."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import two_columns
from hipporag_neo4j.cli.money import money
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.check_passages import OnProblem
    from hipporag_neo4j.indexing.compare import Comparison
    from hipporag_neo4j.indexing.estimate import Estimate

_SHOWN = 10


class Compare(Protocol):
    """Compares a source with the graph."""

    def __call__(self, *, on_problem: "OnProblem") -> "Comparison": ...


class EstimateBatch(Protocol):
    """Compares a source with the graph, and says what reading it would cost."""

    def __call__(self, *, on_problem: "OnProblem") -> "Estimate": ...


def show_comparison(compare: Compare, *, prune: bool, as_json: bool, batch: EstimateBatch | None = None) -> None:
    """Compare and show, with `batch` also what a batch would cost; exit status 1 where a passage can't be used."""
    problems: list[str] = []
    with waiting("Comparing the source with the graph"):
        if batch is None:
            estimated, found = None, compare(on_problem=lambda error: problems.append(str(error)))
        else:
            estimated = batch(on_problem=lambda error: problems.append(str(error)))
            found = estimated.comparison
    if as_json:
        costs = {"batch_cost": estimated.batch_cost, "currency": _currency(estimated)} if estimated else {}
        output.print_json({**comparison_values(found, problems), **costs})
    else:
        output.stdout().print(two_columns(comparison_lines(found)))
        for line in next_run(found, prune=prune and not problems):
            output.tell(line)
        if estimated is not None and found.to_write:
            output.tell(_batch_cost(estimated))
    output.list_some("Can't be used", problems, _SHOWN)
    if problems:
        pruned = " Nothing would be pruned." if prune else ""
        output.fail(f"{output.plural(len(problems), 'passage')} of the source can't be used.{pruned}")
        raise typer.Exit(1)


def _batch_cost(found: "Estimate") -> str:
    if found.batch_cost is None:
        return f"What a batch would cost is unknown: {found.price_table} has no price of batches of {found.model!r}."
    return (
        f"In batches that would cost about {money(found.batch_cost, _currency(found))}; hipporag-neo4j estimate says "
        "what this rests on."
    )


def _currency(found: "Estimate") -> str | None:
    return found.price.currency if found.price else None


def comparison_values(found: "Comparison", left_out: list[str]) -> dict[str, Any]:
    """The figures under the names that programs read."""
    return {**asdict(found), "to_write": found.to_write, "left_out": left_out}


def comparison_lines(found: "Comparison") -> Iterator[tuple[str, str]]:
    """The figures as names and values for people."""
    yield "in the source", output.plural(found.passages, "passage")
    yield "new", f"{found.new:,}"
    yield "changed", f"{found.changed:,}"
    if found.failed:
        yield "failed before", f"{found.failed:,}"
    yield "unchanged", f"{found.unchanged:,}"
    if found.to_write and found.extracted is not None:
        yield "read already", f"{found.extracted:,} of {found.to_write:,}: the answers about them are kept"
    if found.stale:
        yield "old parts", f"{found.stale:,}, which their documents don't hold any more"
    yield "only in the graph", output.plural(found.missing, "passage")


def next_run(found: "Comparison", *, prune: bool) -> Iterator[str]:
    """What a run would do, in a sentence or two."""
    steps = []
    if found.calls is not None and found.to_write:
        steps.append(f"ask the language model {output.plural(found.calls, 'question')}")
    if found.to_write:
        steps.append(f"embed and write {output.plural(found.to_write, 'passage')} with what they say")
    if found.stale:
        steps.append(f"delete {output.plural(found.stale, 'old part')}")
    if prune and found.missing:
        steps.append(f"prune {output.plural(found.missing, 'passage')}")
    if found.unlinked:
        steps.append(f"look for the synonyms of {output.plural(found.unlinked, 'phrase')} left over from before")
    if found.unpublished:
        steps.append("publish what was written before")
    if found.left_over:
        steps.append(f"delete {output.plural(found.left_over, 'node')} that nothing needs any more")
    if not steps:
        yield "A run would change nothing."
        return
    yield f"A run would {', '.join(steps[:-1]) + ', and ' if len(steps) > 1 else ''}{steps[-1]}."
    if found.missing and not prune:
        yield f"{output.plural(found.missing, 'passage')} that the source doesn't hold would stay (--prune deletes)."
