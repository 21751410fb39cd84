"""What `index --batch` and `--resume` do beside writing, and `batch status` and `batch cancel`."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.money import money, tokens
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings
from hipporag_neo4j.cli.progress import progress_bars, waiting
from hipporag_neo4j.cli.write_and_show import STOPPED
from hipporag_neo4j.errors import LLMError

if TYPE_CHECKING:
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.batch_job import BatchProgress
    from hipporag_neo4j.indexing.batch_store import SentBatch
    from hipporag_neo4j.indexing.index_report import IndexReport
    from hipporag_neo4j.indexing.resume_batch import OnProgress

_SHOWN = 10

Batch = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Send what has to be asked to the endpoint's Batch API, which takes up to a day and half the price, and "
        "leave; --resume collects it.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Collect the batch under way, and send what comes next; when nothing is left to ask, write the graph. "
        "Without SOURCE: the one that the batch was made from.",
    ),
]
Wait = Annotated[bool, typer.Option("--wait", help="With --batch or --resume: stay until the graph is written.")]

batch_app = typer.Typer(
    rich_markup_mode=None,
    short_help="Batches at the language model's endpoint.",
    no_args_is_help=True,
    help="Batches that index --batch has sent to the language model's endpoint; index --resume collects them.",
)


@batch_app.command("status", short_help="Say how far the batches are.")
def status(namespace: Namespace = None, as_json: AsJson = False) -> None:
    """List the batches of a namespace, with what came of them; the endpoint is asked for those under way."""
    from hipporag_neo4j.hipporag import HippoRAG

    settings = make_settings(namespace=namespace)
    with HippoRAG(settings) as rag:
        look = settings.llm_model is not None
        batches = rag.batches(look=look)
    if as_json:
        output.print_json({"namespace": rag.namespace, "batches": [batch_values(batch) for batch in batches]})
        return
    if not batches:
        output.tell(f"No batch was sent for the namespace {rag.namespace!r}.")
        return
    output.stdout().print(_table(batches))
    for complaint in dict.fromkeys(batch.error or batch.complaint for batch in batches):
        if complaint:
            output.tell(f"The endpoint said: {complaint}")
    if any(batch.finished is None for batch in batches):
        if not look:
            output.warn("This is how it was last seen; with HIPPORAG_LLM_MODEL set, the endpoint is asked.")
        output.tell(f"To go on: hipporag-neo4j index --resume --namespace {rag.namespace}")


@batch_app.command("cancel", short_help="Stop the batch under way.")
def cancel(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Stop the batch under way. What is answered by then is billed, and kept, if need be by the next index --resume."""
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(make_settings(namespace=namespace)) as rag:
        if not yes:
            if not sys.stdin.isatty():
                raise typer.BadParameter("Nobody can be asked here. Add --yes to cancel the batch all the same.")
            typer.confirm(f"Cancel the batch under way in namespace {rag.namespace!r}?", abort=True, err=True)
        batches = rag.cancel_batch()
    if as_json:
        output.print_json({"namespace": rag.namespace, "batches": [batch_values(batch) for batch in batches]})
    elif all(batch.collected is not None for batch in batches):
        kept = output.plural(sum(batch.kept for batch in batches), "answer")
        output.tell(f"The batch is given up; {kept} of it kept.")
    else:
        output.tell("The batch is being cancelled. To keep what it has answered: hipporag-neo4j index --resume")


def check_options(source: Path | None, *, batch: bool, resume: bool, wait: bool, prune: bool, dry_run: bool) -> None:
    """Raises BadParameter for options that don't go together."""
    if source is None and not resume:
        raise typer.BadParameter("Missing argument 'SOURCE': the file or folder to read.")
    if batch and resume:
        raise typer.BadParameter("--batch sends a new batch, --resume collects one. Give one of the two.")
    if wait and not (batch or resume):
        raise typer.BadParameter("--wait goes with --batch or --resume.")
    if batch and prune and not wait:
        raise typer.BadParameter("Passages are deleted when the graph is written. Give --prune with --resume.")
    if resume and dry_run:
        raise typer.BadParameter("--dry-run changes nothing, and --resume does. See hipporag-neo4j batch status.")


def follow_batch(
    rag: "HippoRAG", source: Path | None, *, send: bool, wait: bool, as_json: bool
) -> "tuple[Path, Callable[..., IndexReport]]":
    """Send or collect; when nothing is left to ask, the source and what writes the graph, called as `HippoRAG.index`.

    Raises typer.Exit where there is something to wait for, after saying so: with 0 where a batch was sent as asked,
    with 1 where passages were left out of it, with 3 where the same command has to be given again.
    """
    progress, left_out = _send(rag, source) if send and source is not None else (None, 0)
    if progress is None or (wait and progress.state != "ready"):
        progress = _collect(rag, source, wait=wait)
    if progress.state == "ready":
        output.tell(_what_is_ready(progress))
        if not progress.batches:
            return source or Path(), rag.index
        return source or Path(progress.batches[0].source or ""), _written_by(rag)
    if as_json:
        output.print_json({"namespace": rag.namespace, "batch": progress_values(progress)})
    if progress.state == "cancelled":
        kept = output.plural(sum(batch.kept for batch in progress.latest), "answer")
        output.fail(
            f"The batch was cancelled; {kept} of it kept. To send the rest again: hipporag-neo4j index SOURCE --batch; "
            "to have it read by single calls, leave --batch out."
        )
        raise typer.Exit(1)
    output.tell(_where_it_is(progress))
    output.tell(f"To collect: hipporag-neo4j index --resume --namespace {rag.namespace}")
    if left_out:
        output.fail(
            f"{output.plural(left_out, 'passage')} left out; everything else is sent. Correct them in the source; "
            "they are read when the graph is written, or by an index after it."
        )
        raise typer.Exit(1)
    raise typer.Exit(0 if send else STOPPED)


def _written_by(rag: "HippoRAG") -> "Callable[..., IndexReport]":
    def write(source: Path, **options: Any) -> "IndexReport":
        progress = rag.resume_batch(source, **options)
        if progress.report is None:
            raise LLMError("Another client has sent something more. Run hipporag-neo4j index --resume again.")
        return progress.report

    return write


def _send(rag: "HippoRAG", source: Path) -> "tuple[BatchProgress, int]":
    """What was sent, and how many passages were left out of it."""
    problems: list[str] = []
    with waiting("Sending what has to be asked"):
        progress = rag.index_batch(source, on_problem=lambda error: problems.append(str(error)))
    output.list_some("Left out", problems, _SHOWN)
    return progress, len(problems)


def _collect(rag: "HippoRAG", source: Path | None, *, wait: bool) -> "BatchProgress":
    if not wait:
        with waiting("Asking the endpoint"):
            return rag.advance_batch(source)
    with _shown() as show:
        return rag.advance_batch(source, wait=True, on_progress=show)


@contextmanager
def _shown() -> "Iterator[OnProgress]":
    """Shows how far a job is: a bar on a terminal, else a line for each change."""
    last = ""
    with progress_bars() as bars:
        task = bars.add_task("Batch", total=None)

        def show(progress: "BatchProgress") -> None:
            nonlocal last
            said = _where_it_is(progress) if progress.state in ("sent", "waiting") else ""
            if bars.disable and said != last and said:
                output.tell(said)
            last = said
            requests, done = _counts(progress.latest)
            bars.update(task, description=f"Round {progress.round}", completed=done, total=requests)

        yield show


def _where_it_is(progress: "BatchProgress") -> str:
    requests, done = _counts(progress.latest)
    states = ", ".join(dict.fromkeys(batch.status.replace("_", " ") for batch in progress.latest))
    several = f" in {len(progress.latest)} batches" if len(progress.latest) > 1 else ""
    sent = "Sent: round" if progress.state == "sent" else "Round"
    said = f"{sent} {progress.round}, {output.plural(requests, 'request')}{several}, {states}"
    if done:
        said += f", {done:,} done"
    if progress.left:
        said += f"; {progress.left:,} more wait for a later round, since the endpoint's queue is small"
    return f"{said}."


def _what_is_ready(progress: "BatchProgress") -> str:
    if not progress.batches:
        return "Nothing has to be asked: no batch is sent, and the graph is written at once."
    spent = progress.spent
    priced = f", {money(spent.cost, spent.currency)}" if spent.cost is not None else ""
    said = (
        f"All batches are collected: {output.plural(sum(batch.kept for batch in progress.batches), 'answer')} in "
        f"{output.plural(progress.round, 'round')}, {tokens(spent.prompt_tokens, spent.completion_tokens)}{priced} at "
        "the price of batches."
    )
    if progress.alone:
        said += f" No batch could answer {output.plural(progress.alone, 'request')}: asked by single calls now."
    return said


def _counts(batches: "Sequence[SentBatch]") -> tuple[int, int]:
    """Requests of batches, and how many of them are done."""
    return sum(b.requests for b in batches), sum(b.answered + b.unanswered for b in batches)


def progress_values(progress: "BatchProgress") -> dict[str, Any]:
    """How far a job is, for programs."""
    return {
        "state": progress.state,
        "round": progress.round,
        "left": progress.left,
        "alone": progress.alone,
        "batches": [batch_values(batch) for batch in progress.batches],
    }


def batch_values(batch: "SentBatch") -> dict[str, Any]:
    """A batch, for programs."""
    times = {
        name: value.isoformat() if (value := getattr(batch, name)) is not None else None
        for name in ("created", "collected", "finished")
    }
    return {**asdict(batch), **times}


def _table(batches: "Sequence[SentBatch]") -> Table:
    table = Table(title="Batches", title_style="")
    for heading in ("sent", "round", "state"):
        table.add_column(heading, no_wrap=True)
    for heading in ("requests", "done", "kept", "tokens", "cost"):
        table.add_column(heading, justify="right")
    for batch in batches:
        figures = [batch.requests, batch.answered + batch.unanswered]
        if batch.collected is not None:
            figures += [batch.kept, batch.prompt_tokens + batch.completion_tokens]
        table.add_row(
            f"{batch.created.astimezone():%m-%d %H:%M}",
            str(batch.round),
            Text(output.clean(batch.status.replace("_", " "))),
            *(f"{figure:,}" for figure in figures),
            *([money(batch.cost, batch.currency)] if batch.cost is not None else []),
        )
    return table
