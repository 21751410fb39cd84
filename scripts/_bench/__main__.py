"""The commands of scripts/bench."""

import typer

import scripts._bench
from scripts._bench.clients import clients
from scripts._bench.large import large
from scripts._bench.pagerank import pagerank
from scripts._bench.retrieval import retrieval
from scripts._bench.write import write

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help=scripts._bench.__doc__, pretty_exceptions_enable=False
)
for command in (pagerank, retrieval, large, write, clients):
    app.command()(command)

if __name__ == "__main__":
    app()
