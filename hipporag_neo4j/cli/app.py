"""All commands in one place, and what becomes of their errors."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hipporag_neo4j.cli import interrupts, output
from hipporag_neo4j.cli.ask import ask
from hipporag_neo4j.cli.batch import batch_app
from hipporag_neo4j.cli.cache import cache_app
from hipporag_neo4j.cli.delete import delete
from hipporag_neo4j.cli.demo import demo
from hipporag_neo4j.cli.doctor import doctor
from hipporag_neo4j.cli.drop import drop
from hipporag_neo4j.cli.estimate import estimate
from hipporag_neo4j.cli.evaluate import evaluate
from hipporag_neo4j.cli.existing import existing_app
from hipporag_neo4j.cli.explain import explain
from hipporag_neo4j.cli.index import import_openie, index, retry_failed
from hipporag_neo4j.cli.init import init
from hipporag_neo4j.cli.inspect import inspect
from hipporag_neo4j.cli.mcp import mcp
from hipporag_neo4j.cli.migrate import migrate
from hipporag_neo4j.cli.options import wants_json
from hipporag_neo4j.cli.retrieve import retrieve
from hipporag_neo4j.cli.runs import runs
from hipporag_neo4j.cli.server import server_app
from hipporag_neo4j.cli.status import status
from hipporag_neo4j.cli.tune_synonyms import tune_synonyms
from hipporag_neo4j.errors import HippoRAGError

_DESCRIPTION = """Multi-hop retrieval on Neo4j: passages become a graph, a question walks over it.

To see it work, with nothing but Python: hipporag-neo4j demo

The server is the one that NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD name, else the local one
(hipporag-neo4j server start). Something doesn't work: hipporag-neo4j doctor

Exit status: 0 done, 1 failed with a message, 2 wrong usage, 3 stopped at its budget or waiting for a batch, 130 stopped
by Ctrl-C. With --json, a command that failed without a result prints {"error": {"type", "message"}} on standard
output."""

_GOES_ON = ("migrate", "index", "import-openie", "retry-failed", "init", "demo", "server")


def _stopped(command: str | None) -> str:
    """What Ctrl-C did: only what writes or fetches is left half done, and goes on from there."""
    said = "Stopped."
    if command in ("delete", "drop"):
        return f"{said} What was deleted stays deleted; run the same command again to go on."
    return f"{said} What was written stays; run the same command again to go on." if command in _GOES_ON else said


def _public_name(error: HippoRAGError) -> str:
    """The name of the error's class in hipporag_neo4j.errors, where a caller finds it."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == HippoRAGError.__module__)


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
            if wants_json(ctx):
                output.print_json({"error": {"type": _public_name(error), "message": str(error)}})
            output.fail(str(error))
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=Commands,
    help=_DESCRIPTION,
    no_args_is_help=True,
    rich_markup_mode=None,  # its tables leave the words no room on a terminal of 80 columns, and cut names off
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
    # The mark \b keeps the lines whole, so that they can be copied.
    return "\n".join(("\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)))


app.command(
    short_help="Index a small invented world, and ask it.",
    epilog=_example("hipporag-neo4j demo"),
)(demo)
app.command(
    short_help="Add passages, read by a language model.",
    epilog=_example(
        "hipporag-neo4j index passages.jsonl --model gpt-4o-mini",
        "hipporag-neo4j index notes/ --namespace notes --prune",
        "hipporag-neo4j index papers/ --batch",
        "hipporag-neo4j index --resume --wait",
        "hipporag-neo4j index notes/ --base-url http://localhost:11434/v1 --model llama3.1",
    ),
)(index)
app.command(
    short_help="Say what indexing would take, and cost.",
    epilog=_example("hipporag-neo4j estimate papers/ --model gpt-4o-mini --namespace papers"),
)(estimate)
app.command(
    "import-openie",
    short_help="Add passages with ready triples, from a file.",
    epilog=_example("hipporag-neo4j import-openie openie.json --namespace musique --normalisation paper"),
)(import_openie)
app.command(
    "retry-failed",
    short_help="Read again what the language model could not read.",
    epilog=_example("hipporag-neo4j retry-failed --namespace notes"),
)(retry_failed)
app.command(
    short_help="Delete passages, and what only they said.",
    epilog=_example(
        "hipporag-neo4j delete --id handbook.md --id old/handbook.md",
        "hipporag-neo4j delete --where team=x --where year=2019 --dry-run",
    ),
)(delete)
app.command(
    short_help="Delete a whole graph, after asking.",
    epilog=_example("hipporag-neo4j drop --namespace notes", "hipporag-neo4j drop --namespace notes --dry-run"),
)(drop)
app.command(
    short_help="Find the passages that answer a question.",
    epilog=_example(
        'hipporag-neo4j retrieve "Which Stanford professor works on Alzheimer\'s?"',
        'hipporag-neo4j retrieve "Where was its founder born?" --entity "Glass Observatory" --json',
    ),
)(retrieve)
app.command(
    short_help="Say why each passage is found for a question.",
    epilog=_example(
        'hipporag-neo4j explain "Who lives in Pellick?" --entity Pellick --mode hipporag1 --namespace demo',
        'hipporag-neo4j explain "Who lives in Pellick?" --html why.html',
    ),
)(explain)
app.command(
    short_help="Answer a question from the passages.",
    epilog=_example(
        'hipporag-neo4j ask "Which Stanford professor works on Alzheimer\'s?"',
        'hipporag-neo4j ask "Who taught its founder?" --entity "Glass Observatory" --ircot',
    ),
)(ask)
app.command(
    short_help="Measure what share of gold passages is found.",
    epilog=_example(
        "hipporag-neo4j evaluate questions.json --mode hybrid --query-decisions decisions.json",
        "hipporag-neo4j evaluate --make-questions 50 --output questions.json",
    ),
)(evaluate)
app.command(
    short_help="Say what a graph holds, and what is left to do.",
    epilog=_example("hipporag-neo4j status --namespace musique --malformed"),
)(status)
app.command(
    short_help="Look into a graph: facts, connections, what looks wrong.",
    epilog=_example(
        "hipporag-neo4j inspect",
        'hipporag-neo4j inspect facts-of-phrase --param phrase="Oda Merrin" --namespace demo',
        "hipporag-neo4j inspect draw-question --param entities=pellick --param entities=venn --cypher",
    ),
)(inspect)
app.command(
    short_help="List what runs did and cost.",
    epilog=_example("hipporag-neo4j runs --namespace musique", "hipporag-neo4j runs 20261130T2144 --output run.md"),
)(runs)
app.command(
    "tune-synonyms",
    short_help="See what each synonym threshold would join.",
    epilog=_example(
        "hipporag-neo4j tune-synonyms --from 0.7 --to 0.95 --step 0.05",
        "hipporag-neo4j tune-synonyms --apply 0.85",
    ),
)(tune_synonyms)
app.command(short_help="Check everything, and say what to do.", epilog=_example("hipporag-neo4j doctor"))(doctor)
app.command(
    short_help="Make an empty graph, or check the one there.",
    epilog=_example("hipporag-neo4j init --normalisation unicode --synonym-threshold 0.8"),
)(init)
app.command(
    short_help="Make an older graph one of this version.",
    epilog=_example("hipporag-neo4j migrate --namespace notes"),
)(migrate)
app.add_typer(batch_app, name="batch")
app.command(
    short_help="Serve the graph to agents (MCP).",
    epilog=_example("hipporag-neo4j mcp --namespace notes", "hipporag-neo4j mcp --allow-write --port 8765"),
)(mcp)
app.add_typer(existing_app, name="existing")
app.add_typer(cache_app, name="cache")
app.add_typer(server_app, name="server")
