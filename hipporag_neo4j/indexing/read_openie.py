"""Passages with ready triples, from the OpenIE files of the official HippoRAG code, both generations.

Legacy: `docs` with `title`, `text`, `passage`, `extracted_entities`, `extracted_triples`. Main: `docs` with `idx`,
`passage` and the same two. A list of such entries is read too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage, Triple
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import OnProblem, check_passage, report
from hipporag_neo4j.indexing.read_utf8 import check_regular
from hipporag_neo4j.indexing.stream_json import stream_entries
from hipporag_neo4j.text import passage_text

_TRIPLES = "extracted_triples"
_ENTITIES = "extracted_entities"


def read_openie(
    path: Path, *, on_problem: OnProblem | None = None, may_be_empty: bool = False
) -> Iterator[ExtractedPassage]:
    """Passages and what was read in them, in the file's order; memory is that of the largest one.

    `row` is the position in the file, from 0. The id is `idx` where there is one, else none. Title and text are the
    given ones where they make up `passage`, else its first line and the rest. Numbers in a triple become text as
    Python writes them; what doesn't have exactly three texts or numbers is malformed, and so reported.

    Raises InputError, naming file and entry, also for a file without entries unless it `may_be_empty`; with
    `on_problem` an entry that can't be used is reported and left out.
    """
    if path.is_dir() or path.suffix.lower() not in ("", ".json"):
        raise InputError(f"{path} is no OpenIE file, which is JSON. To read passages: hipporag-neo4j index {path}")
    check_regular(path)
    read = 0
    for entry in stream_entries(path, ("docs",), lambda found: _explain(path, found)):
        place = f"{path}, entry {entry.position + 1} (line {entry.line})"
        if not read and isinstance(entry.value, Mapping) and not entry.value.keys() & {_TRIPLES, _ENTITIES}:
            raise InputError(f"{place}: passages without triples. Use: hipporag-neo4j index {path}")
        try:
            passage, extraction = _passage(entry.value, place), _extraction(entry.value, place)
        except InputError as error:
            report(error, on_problem)
        else:
            read += 1
            yield ExtractedPassage(passage, extraction, row=entry.position)
    if not read and not may_be_empty:
        raise InputError(f"{path} holds no passage that can be used. Give an OpenIE file of the HippoRAG code.")


def _explain(path: Path, found: Sequence[str]) -> str:
    if {"passages", "text"} & set(found):
        return f"It looks like passages without triples. Use: hipporag-neo4j index {path}"
    return f"It holds {', '.join(map(repr, found)) or 'nothing to read'}. Give an OpenIE file of the HippoRAG code."


def _passage(value: Any, place: str) -> Passage:
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: an entry is an object with 'passage' and {_TRIPLES!r}, not {value!r:.60}.")
    title, text, whole, id_ = (value.get(name) for name in ("title", "text", "passage", "idx"))
    if whole is None and text is not None:
        title = "" if title is None else title
    elif not isinstance(whole, str):
        raise InputError(f"{place}: 'passage' is {whole!r:.60}, not a text.")
    elif not (isinstance(title, str) and isinstance(text, str) and whole == f"{title}\n{text}"):
        title, text = _split_first_line(whole)
    if isinstance(id_, int) and not isinstance(id_, bool):
        id_ = str(id_)
    return check_passage(Passage(text=text, id=id_, title=title), place)  # type: ignore[arg-type]  # checked there


def _split_first_line(whole: str) -> tuple[str, str]:
    title, _, text = whole.partition("\n")
    return (title, text) if text.strip() and passage_text(title, text) == whole else ("", whole)


def _extraction(value: Mapping[str, Any], place: str) -> Extraction:
    entities, triples = (_list(value, name, place) for name in (_ENTITIES, _TRIPLES))
    whole: list[Triple] = []
    malformed: list[str] = []
    for item in triples:
        if isinstance(item, list) and len(item) == 3 and all(isinstance(part, str | int | float) for part in item):
            whole.append(Triple(*map(str, item)))
        else:
            malformed.append(json.dumps(item, ensure_ascii=False))
    names = tuple(str(item) for item in entities if isinstance(item, str | int | float))
    return _without_halves(Extraction(names, tuple(whole), tuple(malformed)), place)


def _list(value: Mapping[str, Any], name: str, place: str) -> list[Any]:
    found = value.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise InputError(f"{place}: {name!r} is {found!r:.60}, not a list.")
    return found


def _without_halves(extraction: Extraction, place: str) -> Extraction:
    """Half a surrogate pair in a phrase can't be stored; the entry is refused, as for a text."""
    parts = [part for triple in extraction.triples for part in (triple.subject, triple.predicate, triple.object)]
    try:
        "\n".join((*extraction.entities, *parts, *extraction.malformed)).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place}: an entity or triple holds half of a surrogate pair. Correct the program that wrote it."
        ) from error
    return extraction
