"""The command line `hipporag-neo4j`. Commands import what they need when they run, so that help is quick."""

import errno
import io
import logging
import os
import sys

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> int:
    """Run the command line; its exit status: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C."""
    from hipporag_neo4j.cli import interrupts
    from hipporag_neo4j.cli.app import app
    from hipporag_neo4j.cli.quick_start import DriverWithoutPandas

    interrupts.watch()
    sys.meta_path.insert(0, DriverWithoutPandas())
    # What goes wrong with the connection is said in our own message; without a handler Python prints the driver's, too.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character is no reason to fail
    try:
        app(prog_name="hipporag-neo4j")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        status = _say_unwritten(error)
    else:
        status = 0
    if status == interrupts.STATUS:
        interrupts.leave_at_once()
    return status


def _say_unwritten(error: OSError) -> int:
    """What a command found went to a file by way of standard output, and there is no room."""
    sys.stderr.write(f"Error: Standard output can't be written to: {error.strerror}. Send it elsewhere.\n")
    # What is still in its buffer would fail once more as Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
