"""What is the server waiting for? Told to whoever asks, step by step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal["queue", "verify", "fetch", "start", "recover"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: `verify` and `fetch` count bytes, the others seconds, of which nobody knows how many.

    `queue`: another start is under way; `recover`: a start after a server that was not stopped.
    """

    stage: Stage
    done: float
    total: float


OnProgress = Callable[[Progress], None]
"""Is called from several threads, but never from two at once."""


def ignore(_progress: Progress) -> None:
    """For callers that show nothing."""
