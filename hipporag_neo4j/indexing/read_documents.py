"""Text and Markdown files of a folder as passages."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import check_passage
from hipporag_neo4j.indexing.read_utf8 import utf8_text

OnSkipped = Callable[[Path, str], None]
"""Called with a file or folder that is left out, and the reason."""

MARKDOWN_SUFFIXES = (".md", ".markdown")
DOCUMENT_SUFFIXES = (".txt", *MARKDOWN_SUFFIXES)

_FRONT_MATTER = re.compile(r"---[ \t]*\n")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def find_documents(folder: Path, on_skipped: OnSkipped | None = None) -> Iterator[Path]:
    """The .txt and .md files of a folder and its folders, sorted by the parts of their path."""
    skip = on_skipped or (lambda path, reason: None)
    yield from _walk(folder, folder.resolve(), skip)


def document_passage(path: Path, name: str) -> Passage:
    """A file as a passage; `name` is its id unless its front matter has one, and starts no message: the path does.

    The title is the one of the front matter, else the first heading of a Markdown file, else the file's name. The
    rest of the front matter is metadata. The text is what follows it, heading included, with `\\n` as line end.
    """
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise InputError(f"{str(path)!a}: the file's name isn't Unicode. Rename it.")
    metadata, text = _split_front_matter(utf8_text(path), path)
    id_ = metadata.pop("id", None)
    title = metadata.pop("title", None)
    if title is None and path.suffix.lower() in MARKDOWN_SUFFIXES:
        title = _first_heading(text)
    passage = Passage(
        text=text,
        id=unicodedata.normalize("NFC", name) if id_ is None else str(id_),
        title=path.stem if title is None else str(title),
        metadata=metadata,
    )
    return check_passage(passage, str(path))


def _walk(folder: Path, root: Path, skip: OnSkipped) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(f"{folder} can't be read: {error.strerror}. Check its permissions.") from error
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            skip(path, "hidden")
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, skip)
        elif reason := _reason_to_skip(entry, path, root):
            skip(path, reason)
        else:
            yield path


def _reason_to_skip(entry: os.DirEntry[str], path: Path, root: Path) -> str | None:
    if entry.is_symlink() and entry.is_dir():
        return "a link to a folder"
    if path.suffix.lower() not in DOCUMENT_SUFFIXES:
        return "neither .txt nor .md"
    if not entry.is_file():
        return "a broken link" if entry.is_symlink() else "not a file"
    if entry.is_symlink() and not path.resolve().is_relative_to(root):
        return "a link out of the folder"
    return None


def _split_front_matter(text: str, path: Path) -> tuple[dict[str, Any], str]:
    """Front matter begins with `---` in the first line and holds names and values; anything else is text."""
    if not _FRONT_MATTER.match(text):
        return {}, text
    handler = YAMLHandler()
    try:
        front, rest = handler.split(text)
        metadata = handler.load(front)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise InputError(
            f"{path}{place}: the front matter isn't YAML: {getattr(error, 'problem', None) or error}. Correct it, or "
            "begin the file with an empty line if it is meant as text."
        ) from error
    except ValueError:  # no second `---`
        return {}, text
    if metadata is None:
        return {}, rest.lstrip("\n")
    if not isinstance(metadata, Mapping):
        return {}, text
    return {str(name): value for name, value in metadata.items()}, rest.lstrip("\n")


def _first_heading(text: str) -> str | None:
    fence: str | None = None
    before = ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence is not None:
            if opening and opening[1] == fence:
                fence = None
        elif opening:
            fence = opening[1]
        elif (heading := _HEADING.fullmatch(line)) and heading[1]:
            return heading[1]
        elif before.strip() and not before.startswith("    ") and _UNDERLINE.fullmatch(line):
            return before.strip()
        before = "" if fence is not None or opening else line
    return None
