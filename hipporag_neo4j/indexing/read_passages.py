"""Passages from files, one by one: .jsonl, .json, .txt, .md, or a folder of .txt and .md.

What an object in a .jsonl or .json file may hold:

| field | meaning |
|---|---|
| `text`, or `passage`, `content`, `paragraph_text` | the text; exactly one of them |
| `id`, or `_id`, `idx` (the first that is there) | identifies the passage across runs; a text or a whole number |
| `title` | a text |
| `metadata` | an object with flat values |
| any other field | becomes metadata under its own name |
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import OnProblem, check_passage, report
from hipporag_neo4j.indexing.read_documents import DOCUMENT_SUFFIXES, OnSkipped, document_passage, find_documents
from hipporag_neo4j.indexing.read_utf8 import Line, check_regular, utf8_lines
from hipporag_neo4j.indexing.stream_json import parse_json, stream_entries

_LISTS = ("passages", "docs")
_IDS = ("id", "_id", "idx")
_TEXTS = ("text", "passage", "content", "paragraph_text")
_LINES_SUFFIXES = (".jsonl", ".ndjson")
_KINDS = "a .jsonl or .json file of passages, a .txt or .md file, or a folder of .txt and .md files"


class _WrongFileError(InputError):
    """The whole file is meant for another command; nothing is gained by going on."""


def read_passages(
    path: Path,
    *,
    on_problem: OnProblem | None = None,
    on_skipped: OnSkipped | None = None,
    may_be_empty: bool = False,
) -> Iterator[Passage]:
    """Checked passages of a file or folder, in its order; memory is that of the largest one.

    `.jsonl`: an object a line; blank lines are passed over. `.json`: a list of objects, or an object that holds one
    under `passages` or `docs`. A folder: its .txt and .md files and those of its folders, sorted by name; every other
    file is left out and handed to `on_skipped` as (path, reason). Symbolic links to files are followed inside the
    folder only, hidden files and linked folders are left out.

    Raises InputError, naming file and line or entry. With `on_problem` a passage that can't be used is reported to it
    and left out; what spoils the whole file (missing, not JSON any more, no passage at all unless it
    `may_be_empty`) is raised all the same.
    """
    read = 0
    for passage in _passages(path, on_problem, on_skipped):
        read += 1
        yield passage
    if not read and not may_be_empty:
        raise InputError(f"{path} holds no passage that can be used. Give {_KINDS}.")


def _passages(path: Path, on_problem: OnProblem | None, on_skipped: OnSkipped | None) -> Iterator[Passage]:
    if path.is_dir():
        return _of_folder(path, on_problem, on_skipped)
    check_regular(path)
    suffix = path.suffix.lower()
    if suffix in _LINES_SUFFIXES:
        return _of_lines(path, on_problem)
    if suffix == ".json":
        return _of_json(path, on_problem)
    if suffix in DOCUMENT_SUFFIXES:
        return iter([document_passage(path, path.name)])
    if not path.exists():
        raise InputError(f"{path} doesn't exist. Check the path.")
    raise InputError(f"{path} is of a kind that isn't read. Give {_KINDS}.")


def _of_folder(folder: Path, on_problem: OnProblem | None, on_skipped: OnSkipped | None) -> Iterator[Passage]:
    for file in find_documents(folder, on_skipped):
        yield from _tried(partial(document_passage, file, file.relative_to(folder).as_posix()), on_problem)


def _of_lines(path: Path, on_problem: OnProblem | None) -> Iterator[Passage]:
    for line in utf8_lines(path):
        if line.data.strip():
            yield from _tried(partial(_passage_of_line, line, path), on_problem)


def _of_json(path: Path, on_problem: OnProblem | None) -> Iterator[Passage]:
    for entry in stream_entries(path, _LISTS, _explain):
        place = f"{path}, entry {entry.position + 1} (line {entry.line})"
        yield from _tried(partial(_passage, entry.value, path, place), on_problem)


def _tried(make: Callable[[], Passage], on_problem: OnProblem | None) -> Iterator[Passage]:
    """The passage, or nothing after its problem was reported."""
    try:
        passage = make()
    except _WrongFileError:
        raise
    except InputError as error:
        report(error, on_problem)
    else:
        yield passage


def _passage_of_line(line: Line, path: Path) -> Passage:
    place = f"{path}, line {line.number}"
    return _passage(parse_json(line.text(), place), path, place)


def _passage(value: Any, path: Path, place: str) -> Passage:
    """One object as a checked passage."""
    if not isinstance(value, Mapping):
        raise InputError(f'{place}: a passage is an object such as {{"title": …, "text": …}}, not {value!r:.60}.')
    if "extracted_triples" in value:
        raise _WrongFileError(f"{path} holds passages with ready triples. Use: hipporag-neo4j import-openie {path}")
    fields = dict(value)
    text = _only_text(fields, place)
    given = next((name for name in _IDS if fields.get(name) is not None), None)
    id_: Any = None if given is None else fields.pop(given)
    if isinstance(id_, int) and not isinstance(id_, bool):
        id_ = str(id_)
    title = fields.pop("title", None)
    metadata = fields.pop("metadata", None)
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, Mapping):
        raise InputError(f"{place}: the metadata is {metadata!r:.60}, not an object with names and values.")
    if twice := metadata.keys() & fields.keys():
        raise InputError(f"{place}: {sorted(twice)[0]!r} is both a field and in the metadata. Keep one.")
    passage = Passage(text=text, id=id_, title="" if title is None else title, metadata={**metadata, **fields})
    return check_passage(passage, place)


def _only_text(fields: dict[str, Any], place: str) -> Any:
    found = [name for name in _TEXTS if fields.get(name) is not None]
    if not found:
        names = ", ".join(map(repr, fields)) or "none"
        raise InputError(f"{place}: no text. It is expected under {' or '.join(map(repr, _TEXTS))}; found: {names}.")
    if len({repr(fields[name]) for name in found}) > 1:
        raise InputError(f"{place}: two texts, {found[0]!r} and {found[1]!r}. Keep one.")
    text = fields[found[0]]
    for name in _TEXTS:
        fields.pop(name, None)
    return text


def _explain(found: Sequence[str]) -> str:
    """What to do with a JSON file that holds no list of passages."""
    if set(found) & set(_TEXTS):
        return "For a single passage, put it in a list; a file with one passage a line is named .jsonl."
    return f"It holds {', '.join(map(repr, found)) or 'nothing to read'}. Give {_KINDS}."
