"""The command line `hipporag-neo4j`. Commands import what they need when they run, so that help is quick."""

import io
import logging
import sys


def main() -> int:
    """Run the command line; its exit status: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C."""
    from hipporag_neo4j.cli import interrupts
    from hipporag_neo4j.cli.app import app

    interrupts.watch()
    # What goes wrong with the connection is said in our own message; without a handler Python prints the driver's, too.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character is no reason to fail
    try:
        app(prog_name="hipporag-neo4j")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    else:
        status = 0
    if status == interrupts.STATUS:
        interrupts.leave_at_once()
    return status
