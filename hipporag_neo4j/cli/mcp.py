"""`mcp`: serve the graph to agents."""

import sys
from typing import Annotated

import typer

from hipporag_neo4j.cli import interrupts, output
from hipporag_neo4j.cli.options import Namespace, make_settings


def mcp(
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="Offer the tool add_passages, too; needs a language model.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            metavar="PORT",
            help="Serve over HTTP at http://127.0.0.1:PORT/mcp, in place of standard input and output. Whoever can "
            "reach the port of this machine may ask.",
        ),
    ] = None,
    namespace: Namespace = None,
) -> None:
    """Serve the graph to agents by the Model Context Protocol: retrieve, explain, ask, inspect, status.

    An MCP client starts this command and speaks to it by standard input and output, which carry nothing else. It ends
    with its input, or by Ctrl-C. Needs the extra mcp: pip install "hipporag-neo4j[mcp]".
    """
    from hipporag_neo4j.adapters.mcp import HOST, PATH, serve
    from hipporag_neo4j.errors import ConfigurationError
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.local_server.ports import is_free

    if port is not None and not is_free(port):
        raise ConfigurationError(f"The port {port} is in use. Take another one: --port {port % 65535 + 1}.")
    with HippoRAG(make_settings(namespace=namespace)) as rag:
        if port is not None:
            output.tell(f"Serving MCP at http://{HOST}:{port}{PATH}. Ctrl-C ends it.")
        elif sys.stdin.isatty():
            output.tell("Serving MCP on standard input and output, where an MCP client speaks. Ctrl-C ends it.")
        if port is None:
            interrupts.leave_on_press()
        with interrupts.expected():
            serve(rag, allow_write=allow_write, port=port)
