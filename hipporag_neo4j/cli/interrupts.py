"""Was Ctrl-C pressed?

Libraries that are interrupted while they read or write may fail once more as they clean up, and show that error in
place of KeyboardInterrupt. So the key is remembered when it is pressed.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

STATUS = 130
"""Exit status of a command that Ctrl-C ended."""

_pressed = threading.Event()


def watch() -> None:
    """Remember Ctrl-C from now on; it raises KeyboardInterrupt as before. For the main thread."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_press)


def was_pressed() -> bool:
    """Whether Ctrl-C was pressed since `watch`."""
    return _pressed.is_set()


@contextmanager
def expected() -> Iterator[None]:
    """For what goes on until Ctrl-C: the key is its proper end, with nothing to be said about it."""
    try:
        yield
    except KeyboardInterrupt:
        _pressed.clear()
        raise typer.Exit(STATUS) from None


def leave_at_once() -> None:
    """End the process without waiting for other threads' calls under way, minutes with a slow model.

    What was written is committed. Does nothing when no other thread is busy.
    """
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(STATUS)


def leave_on_press() -> None:
    """From now on Ctrl-C ends the process at once: for a server whose thread waits for standard input, which nothing
    but input ends. What was written is committed."""
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(STATUS))


def _on_press(number: int, frame: FrameType | None) -> None:
    _pressed.set()
    signal.default_int_handler(number, frame)
