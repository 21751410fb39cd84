"""The command line `hipporag-neo4j`. Commands import what they need when they run, so that help is quick."""

import io
import os
import sys
import threading

INTERRUPTED = 130


def main() -> int:
    """Run the command line; its exit status: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C."""
    from hipporag_neo4j.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character is no reason to fail
    try:
        app(prog_name="hipporag-neo4j")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    else:
        status = 0
    if status == INTERRUPTED and _others_are_busy():
        # Python would wait for calls under way, minutes with a slow model. What was written is committed.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def _others_are_busy() -> bool:
    return any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate())
