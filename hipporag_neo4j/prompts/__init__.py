"""The prompts, as files of messages; a team replaces one by a file of the same name in its `prompts_dir`.

A file is a list of messages, each under a line `[system]`, `[user]` or `[assistant]`, with placeholders such as
`{{passage}}`. A file is read once in a process. What is filled in is data: it can't add a message or a placeholder,
and can't close the tags that the package's own prompts put around it.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import cast, get_args

from hipporag_neo4j.domain import Message, Role
from hipporag_neo4j.errors import ConfigurationError

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "entities.txt": frozenset({"passage"}),
    "triples.txt": frozenset({"passage", "entities"}),
    "question_entities.txt": frozenset({"question"}),
    "filter_facts.txt": frozenset({"question", "facts"}),
    "filter_further_facts.txt": frozenset({"question", "known", "facts"}),
    "answer.txt": frozenset({"question", "passages"}),
    "next_thought.txt": frozenset({"question", "passages", "thoughts"}),
    "write_question.txt": frozenset({"facts", "named", "hidden", "answer", "passages"}),
}
"""The prompt files, and the placeholders that each must use."""

_READING = ("entities.txt", "triples.txt")
_ROLE_LINE = re.compile(rf"^\[({'|'.join(get_args(Role))})\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:passage|entities|question|known|facts|passages|thoughts|named|hidden|answer)\b)", re.IGNORECASE
)


def entity_messages(passage_text: str, prompts_dir: Path | None = None) -> tuple[Message, ...]:
    """Asks for the named entities of a passage. Answered by an EntitiesAnswer."""
    return _fill("entities.txt", prompts_dir, {"passage": passage_text})


def triple_messages(passage_text: str, entities: Sequence[str], prompts_dir: Path | None = None) -> tuple[Message, ...]:
    """Asks for the facts of a passage, given its named entities. Answered by a TriplesAnswer."""
    listed = json.dumps(list(entities), ensure_ascii=False)
    return _fill("triples.txt", prompts_dir, {"passage": passage_text, "entities": listed})


def question_entity_messages(question: str, prompts_dir: Path | None = None) -> tuple[Message, ...]:
    """Asks for the named entities of a question. Answered by an EntitiesAnswer."""
    return _fill("question_entities.txt", prompts_dir, {"question": question})


def filter_messages(
    question: str,
    facts: Sequence[tuple[str, str, str]],
    known: Sequence[tuple[str, str, str]] | None = None,
    prompts_dir: Path | None = None,
) -> tuple[Message, ...]:
    """Asks which numbered facts (from 1) bear on a question.

    Without `known` a first look, which asks for the question's entities too: answered by a FactsAnswer. Else a further
    look, after these facts were kept: answered by a FurtherFactsAnswer.
    """
    numbered = "\n".join(f"{number}. {_fact_line(fact)}" for number, fact in enumerate(facts, start=1))
    if known is None:
        return _fill("filter_facts.txt", prompts_dir, {"question": question, "facts": numbered})
    listed = "\n".join(map(_fact_line, known)) or "nothing"
    return _fill("filter_further_facts.txt", prompts_dir, {"question": question, "known": listed, "facts": numbered})


def answer_messages(question: str, passages: Sequence[str], prompts_dir: Path | None = None) -> tuple[Message, ...]:
    """Asks for the answer to a question from passages, numbered from 1. Answered by a QuestionAnswer."""
    return _fill("answer.txt", prompts_dir, {"question": question}, passages=_numbered(passages))


def thought_messages(
    question: str, passages: Sequence[str], thoughts: Sequence[str], prompts_dir: Path | None = None
) -> tuple[Message, ...]:
    """Asks for the next thought on the way to the answer, after `thoughts`. Answered by a ThoughtAnswer."""
    listed = "\n".join(f"{number}. {_one_line(thought)}" for number, thought in enumerate(thoughts, start=1))
    values = {"question": question, "thoughts": listed or "none"}
    return _fill("next_thought.txt", prompts_dir, values, passages=_numbered(passages))


def question_writing_messages(
    facts: Sequence[tuple[str, str, str]],
    passages: Sequence[str],
    *,
    named: Sequence[str],
    hidden: Sequence[str],
    answer: str,
    prompts_dir: Path | None = None,
) -> tuple[Message, ...]:
    """Asks for a question on facts and the passages that state them, which names some phrases and hides others.

    Answered by a WrittenQuestionAnswer.
    """
    values = {
        "facts": "\n".join(f"{number}. {_fact_line(fact)}" for number, fact in enumerate(facts, start=1)),
        "named": "\n".join(map(_one_line, named)),
        "hidden": "\n".join(map(_one_line, hidden)) or "nothing",
        "answer": _one_line(answer),
    }
    return _fill("write_question.txt", prompts_dir, values, passages=_numbered(passages))


def _numbered(passages: Sequence[str]) -> str:
    """Passages in tags of their own, so that none can pass for another one."""
    return "\n".join(
        f'<passage number="{number}">\n{_quoted(passage)}\n</passage>'
        for number, passage in enumerate(passages, start=1)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """Data that can't open or close a tag."""
    return _TAG.sub("‹", text)


def _fact_line(fact: tuple[str, str, str]) -> str:
    return _one_line(" | ".join(fact))


def check_prompts(prompts_dir: Path | None) -> None:
    """Raise ConfigurationError, naming the file, unless every prompt in the folder can be used."""
    if prompts_dir is not None and not any((prompts_dir / name).is_file() for name in PLACEHOLDERS):
        raise ConfigurationError(
            f"The prompts folder {prompts_dir} holds none of {', '.join(PLACEHOLDERS)}. Correct HIPPORAG_PROMPTS_DIR, "
            "or put at least one of these files there."
        )
    for name in PLACEHOLDERS:
        _load(name, prompts_dir)


def prompts_hash(prompts_dir: Path | None = None) -> str:
    """A short name for the prompts that passages are read with: 16 hexadecimal digits, others where they differ."""
    texts = [[message.role, message.content] for name in _READING for message in _load(name, prompts_dir)]
    return hashlib.blake2b(json.dumps(texts).encode(), digest_size=8).hexdigest()


def _fill(name: str, prompts_dir: Path | None, values: Mapping[str, str], **quoted_values: str) -> tuple[Message, ...]:
    """The messages of a prompt, its placeholders filled; `quoted_values` hold tags of ours around quoted data."""
    quoted = {key: _quoted(value) for key, value in values.items()} | quoted_values
    return tuple(
        Message(message.role, _PLACEHOLDER.sub(lambda found: quoted[found[1]], message.content))
        for message in _load(name, prompts_dir)
    )


@cache
def _load(name: str, prompts_dir: Path | None) -> tuple[Message, ...]:
    own = prompts_dir / name if prompts_dir is not None else None
    source = own if own is not None and own.is_file() else resources.files(__name__) / name
    try:
        text = source.read_text(encoding="utf-8").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The prompt {source} can't be read: {error}. It must be a UTF-8 text file."
        ) from error
    messages = _parse(text, str(source))
    used = {found for message in messages for found in _PLACEHOLDER.findall(message.content)}
    if used != PLACEHOLDERS[name]:
        raise ConfigurationError(
            f"The prompt {source} uses the placeholders {_listed(used)}; it must use {_listed(PLACEHOLDERS[name])}."
        )
    return messages


def _parse(text: str, source: str) -> tuple[Message, ...]:
    before, *rest = _ROLE_LINE.split(text)
    if before.strip() or not rest:
        raise ConfigurationError(
            f"The prompt {source} must begin with a line [system], [user] or [assistant], not {text.strip()[:40]!r}."
        )
    messages = tuple(
        Message(cast(Role, role), content.strip()) for role, content in zip(rest[::2], rest[1::2], strict=True)
    )
    if messages[-1].role != "user":
        raise ConfigurationError(f"The prompt {source} must end with a [user] message: the one to be answered.")
    return messages


def _listed(names: set[str] | frozenset[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in sorted(names)) or "none"
