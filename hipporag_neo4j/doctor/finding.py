"""What a check of the doctor comes to."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "skipped", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `advice` says what to do about it, empty where nothing is to be done."""

    check: str
    level: Level
    found: str
    advice: str = ""
