"""All commands in one place, and what becomes of their errors."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hipporag_neo4j.cli import interrupts, output
from hipporag_neo4j.cli.ask import ask
from hipporag_neo4j.cli.cache import cache_app
from hipporag_neo4j.cli.demo import demo
from hipporag_neo4j.cli.doctor import doctor
from hipporag_neo4j.cli.evaluate import evaluate
from hipporag_neo4j.cli.index import import_openie, index, init
from hipporag_neo4j.cli.retrieve import retrieve
from hipporag_neo4j.cli.server import server_app
from hipporag_neo4j.cli.status import status
from hipporag_neo4j.errors import HippoRAGError

_DESCRIPTION = """Multi-hop retrieval on Neo4j: passages become a graph, a question walks over it.

To see it work, with nothing but Python: **hipporag-neo4j demo**

The server is the one that NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD name, else the local one
(**hipporag-neo4j server start**). Something doesn't work: **hipporag-neo4j doctor**

Exit status: 0 done, 1 failed with a message, 2 wrong usage, 130 stopped by Ctrl-C."""

_GOES_ON = ("index", "import-openie", "init", "demo", "server")


def _stopped(command: str | None) -> str:
    """What Ctrl-C did: only what writes or fetches is left half done, and goes on from there."""
    said = "Stopped."
    return f"{said} What was written stays; run the same command again to go on." if command in _GOES_ON else said


class Commands(TyperGroup):
    """Turns errors that were raised on purpose into one message; everything else is a mistake of ours and shows."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or interrupts.was_pressed():
                output.warn(_stopped(ctx.invoked_subcommand))
                raise typer.Exit(interrupts.STATUS) from error
            if not isinstance(error, HippoRAGError):
                raise
            output.fail(str(error))
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=Commands,
    help=_DESCRIPTION,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,  # they would print local variables, passwords among them
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"hipporag-neo4j {version('hipporag-neo4j')}")
        except PackageNotFoundError:
            typer.echo("hipporag-neo4j (run from its source, not installed)")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


def _example(*lines: str) -> str:
    """The end of a command's help: what to type."""
    return "\n\n".join(("Examples:" if len(lines) > 1 else "Example:", *lines))


app.command(
    epilog=_example("hipporag-neo4j demo"),
)(demo)
app.command(
    epilog=_example(
        "hipporag-neo4j index passages.jsonl --model gpt-4o-mini",
        "hipporag-neo4j index notes/ --namespace notes --base-url http://localhost:11434/v1 --model llama3.1",
    ),
)(index)
app.command(
    "import-openie",
    epilog=_example(
        "hipporag-neo4j import-openie openie_results_ner_gpt-4o-mini.json --namespace musique --normalisation paper"
    ),
)(import_openie)
app.command(
    epilog=_example(
        'hipporag-neo4j retrieve "Which Stanford professor works on Alzheimer\'s?"',
        'hipporag-neo4j retrieve "Where was its founder born?" --entity "Glass Observatory" --limit 3 --json',
    ),
)(retrieve)
app.command(
    short_help="Answer a question from the passages.",
    epilog=_example(
        'hipporag-neo4j ask "Which Stanford professor works on Alzheimer\'s?"',
        'hipporag-neo4j ask "Where was the teacher of its founder born?" --entity "Glass Observatory" --ircot',
    ),
)(ask)
app.command(
    short_help="Measure what share of gold passages is found.",
    epilog=_example(
        "hipporag-neo4j evaluate questions.json --mode hipporag1 --mode dense --query-decisions decisions.json"
    ),
)(evaluate)
app.command(epilog=_example("hipporag-neo4j status --namespace musique --malformed"))(status)
app.command(epilog=_example("hipporag-neo4j doctor"))(doctor)
app.command(epilog=_example("hipporag-neo4j init --normalisation unicode --synonym-threshold 0.8"))(init)
app.add_typer(cache_app, name="cache")
app.add_typer(server_app, name="server")
