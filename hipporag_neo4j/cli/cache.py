"""`cache status` and `cache clear`: the language model's answers that are kept in the graph."""

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.options import AsJson, Namespace, make_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hipporag_neo4j.answer_cache import KeptAnswers

cache_app = typer.Typer(
    rich_markup_mode=None,
    short_help="The kept answers of the language model.",
    no_args_is_help=True,
    help="The language model's answers that are kept in the graph, so that nothing is paid for twice.",
)


@cache_app.command("status", short_help="Count the kept answers, with the tokens they had cost.")
def status(namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Count the answers that a graph keeps, by what was asked, with the tokens they had cost."""
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(make_settings(namespace=namespace)) as rag:
        kept = rag.kept_answers()
    if as_json:
        output.print_json({"namespace": rag.namespace, **_values(kept)})
    elif kept:
        output.stdout().print(_table(kept))
    else:
        output.tell(f"The graph {rag.namespace!r} keeps no answers of a language model.")


@cache_app.command("clear")
def clear(
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than", metavar="DAYS", min=0, max=36_500, help="Only answers kept longer than so many days."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Forget kept answers; what is asked again is then paid for again. The graph itself stays as it is."""
    from hipporag_neo4j.hipporag import HippoRAG

    before = datetime.now(UTC) - timedelta(days=older_than or 0)
    with HippoRAG(make_settings(namespace=namespace)) as rag:
        kept = sum(one.answers for one in rag.kept_answers())
        if kept and not yes:
            _ask(f"Forget {_which(kept, older_than)} of the graph {rag.namespace!r}?")
        cleared = rag.clear_answers(before)
    if as_json:
        output.print_json({"namespace": rag.namespace, "cleared": cleared, "kept": kept - cleared})
    else:
        output.tell(f"{output.plural(cleared, 'answer')} forgotten, {kept - cleared:,} kept.")


def _which(kept: int, older_than: int | None) -> str:
    if older_than:
        return (
            f"those of the {output.plural(kept, 'kept answer')} that are older than {output.plural(older_than, 'day')}"
        )
    return output.plural(kept, "kept answer")


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        raise typer.BadParameter("Nobody can be asked here. Add --yes to forget the answers all the same.")
    typer.confirm(question, abort=True, err=True)


def _values(kept: "Sequence[KeptAnswers]") -> dict[str, Any]:
    return {
        "answers": sum(one.answers for one in kept),
        "prompt_tokens": sum(one.prompt_tokens for one in kept),
        "completion_tokens": sum(one.completion_tokens for one in kept),
        "kinds": [
            {
                "kind": one.kind,
                "model": one.model,
                "answers": one.answers,
                "characters": one.characters,
                "prompt_tokens": one.prompt_tokens,
                "completion_tokens": one.completion_tokens,
                "oldest": one.oldest.isoformat(),
                "newest": one.newest.isoformat(),
            }
            for one in kept
        ],
    }


def _table(kept: "Sequence[KeptAnswers]") -> Table:
    table = Table("asked for", "model", title="Kept answers", title_style="")
    for heading in ("answers", "tokens in", "tokens out"):
        table.add_column(heading, justify="right")
    table.add_column("oldest", no_wrap=True)
    for one in kept:
        figures = (one.answers, one.prompt_tokens, one.completion_tokens)
        since = f"{one.oldest.astimezone():%Y-%m-%d}"
        table.add_row(one.kind, Text(output.clean(one.model)), *(f"{figure:,}" for figure in figures), since)
    return table
