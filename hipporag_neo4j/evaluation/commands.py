"""The command that shows why a question came out as it did."""

import shlex

from hipporag_neo4j.evaluation.ask import Entry
from hipporag_neo4j.evaluation.judge import Outcome

_NAMING = ("hipporag1", "hybrid")
"""Modes that start from what a question names."""


def explaining_command(entry: Entry, outcome: Outcome, *, namespace: str, looks: int) -> str | None:
    """The command that asks the same again, None for a variant that no command knows.

    Facts are filtered by the language model there, even where recorded decisions were replayed here.
    """
    if not entry.command:
        return None
    command, *options = entry.command
    words = ["hipporag-neo4j", command, outcome.question.question, *options]
    if "--no-llm" not in options:
        if looks > 1 and entry.mode == "hybrid":
            words += ["--looks", str(looks)]
        if entry.mode in _NAMING:
            words += [word for name in outcome.result.entities for word in ("--entity", name)]
    return " ".join(map(_quoted, [*words, "--namespace", namespace]))


def _quoted(word: str) -> str:
    """As a shell takes it; in double quotes where these do, which every shell knows."""
    if word == shlex.quote(word) or any(c in word for c in '"$`\\!'):
        return shlex.quote(word)
    return f'"{word}"'
