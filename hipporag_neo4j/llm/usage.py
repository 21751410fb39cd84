"""What calls to a language model came to, by model and kind of call: added up by several threads at once."""

import threading
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Calls of one kind (`entities`, `triples` …) to one model.

    `calls` were answered by the endpoint, `answered` of them with something that could be used; `from_cache` answers
    were kept from before and cost nothing. Tokens are those that the endpoint counts; `uncounted` calls came without.
    `prompt_characters` were sent, and `text_characters` is the length of the texts that the usable answers are about.
    """

    model: str
    call: str
    calls: int = 0
    answered: int = 0
    from_cache: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_characters: int = 0
    text_characters: int = 0

    def __add__(self, other: "CallUsage") -> "CallUsage":
        """Both together; they are of the same model and kind."""
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in _NUMBERS})


_NUMBERS = tuple(field.name for field in fields(CallUsage) if field.name not in ("model", "call"))


class UsageLedger:
    """Adds up calls. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[tuple[str, str], CallUsage] = {}

    def add(self, usage: CallUsage) -> None:
        """Add what a call came to."""
        key = usage.model, usage.call
        with self._lock:
            before = self._calls.get(key)
            self._calls[key] = usage if before is None else before + usage

    def calls(self) -> tuple[CallUsage, ...]:
        """What it comes to so far, by model and kind of call."""
        with self._lock:
            return tuple(self._calls[key] for key in sorted(self._calls))
