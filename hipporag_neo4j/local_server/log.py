"""What did the server print?"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TextIO

from hipporag_neo4j.errors import LocalServerError
from hipporag_neo4j.local_server.home import Home

POLL_SECONDS = 0.2
_STACK_STEP = re.compile(r"\s+(at |\.\.\. \d+ more)")


def start_new_log(home: Home) -> None:
    """Sets the log of the start before aside."""
    if home.log.exists():
        home.log.replace(home.older_log)
    home.log.touch(mode=0o600)


def read_lines(home: Home, count: int) -> list[str]:
    """The last `count` lines of the log. Raises LocalServerError when no server was ever started here."""
    try:
        with home.log.open(encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in deque(file, maxlen=count)]
    except FileNotFoundError as error:
        raise LocalServerError(
            f"There is no log at {home.log}: no server was started there. Start one with: hipporag-neo4j server start"
        ) from error


def tail(home: Home, count: int) -> str:
    """The last lines that say something, without the steps of Java's stack traces, as one text for messages."""
    lines = [line for line in read_lines(home, 500) if line.strip() and not _STACK_STEP.match(line)]
    return "\n".join(lines[-count:]) or "(nothing was printed)"


def follow(home: Home, is_wanted: Callable[[], bool] = lambda: True) -> Iterator[str]:
    """Lines as they are printed, from the log's present end on, across restarts, while `is_wanted`."""
    read_lines(home, 0)
    file = home.log.open(encoding="utf-8", errors="replace")
    try:
        file.seek(0, 2)
        unfinished = ""
        while is_wanted():
            unfinished += file.readline()
            if unfinished.endswith("\n"):
                yield unfinished.rstrip("\n")
                unfinished = ""
            elif _was_replaced(home, file):
                file.close()
                file = home.log.open(encoding="utf-8", errors="replace")
            else:
                time.sleep(POLL_SECONDS)
    finally:
        file.close()


def _was_replaced(home: Home, file: TextIO) -> bool:
    """Whether another start has begun a new log."""
    try:
        return not os.path.samestat(home.log.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:  # between setting the old log aside and making the new one
        return False
