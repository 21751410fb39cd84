"""From what a team's file names to what the database has: names are checked, indexes are found."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hipporag_neo4j.database import Row
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.existing.graph_file import GraphFile
from hipporag_neo4j.existing.layout import Index, Layout, PhraseKind, RelationshipKind
from hipporag_neo4j.retrieval.sources import Sources

_SHOWN = 12


async def open_layout(sources: Sources, file: GraphFile, place: str) -> Layout:
    """The layout, with its indexes. Raises InputError for names that the database doesn't have, all of them at once."""
    await _check_names(sources, file, place)
    indexes = await sources.run("existing/list_indexes")
    layout = Layout.of(file)
    own = file.passages
    passage_index = _vector_index(indexes, place, "passages", "NODE", own.label, own.vector, own.vector_index)
    phrases = tuple(
        PhraseKind(
            one, _vector_index(indexes, place, f"phrases.{number}", "NODE", one.label, one.vector, one.vector_index)
        )
        for number, one in enumerate(file.phrases)
    )
    relationships = tuple(
        RelationshipKind(
            one,
            _vector_index(
                indexes, place, f"relationships.{number}", "RELATIONSHIP", one.type, one.vector, one.vector_index
            ),
        )
        for number, one in enumerate(file.relationships)
    )
    return replace(
        layout,
        phrases=phrases,
        relationships=relationships,
        passage_index=passage_index,
        text_index=_text_index(indexes, place, own.label, own.texts, own.text_index),
    )


async def _check_names(sources: Sources, file: GraphFile, place: str) -> None:
    problems: list[str] = []
    for what, statement, named in (
        ("label", "existing/list_labels", file.labels),
        ("relationship type", "existing/list_relationship_types", file.types),
        ("property", "existing/list_property_keys", file.properties),
    ):
        known = [row["name"] for row in await sources.run(statement)]
        for where, name in named:
            if name not in known:
                problems.append(f"{where}: no {what} {name!r} ({_like(name, known)})")
    if problems:
        raise InputError(
            f"{place} names what the database doesn't have: {'; '.join(problems)}. Correct the file, or connect to the "
            "database that has them (NEO4J_URI, NEO4J_DATABASE)."
        )


def _like(name: str, known: Sequence[str]) -> str:
    """What was perhaps meant."""
    lower = {one.lower(): one for one in known}
    near = [lower[one] for one in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
    if near:
        return "there is " + ", ".join(map(repr, near))
    if not known:
        return "there is none at all"
    some = ", ".join(map(repr, sorted(known)[:_SHOWN]))
    return f"there are {some}{' and others' if len(known) > _SHOWN else ''}"


def _vector_index(
    indexes: Iterable[Row], place: str, where: str, entity: str, label: str, vector: str | None, wanted: str | None
) -> Index | None:
    """The online index over the vectors of a label or type; None where there is no vector, or no index."""
    if vector is None:
        return None
    over = [row for row in indexes if row["type"] == "VECTOR" and row["entity"] == entity]
    fitting = [row for row in over if label in row["labels"] and row["properties"][0] == vector]
    row = _chosen(fitting, over, place, f"{where}.vector_index", wanted, f"{label!r} with {vector!r}")
    return _index(row)


def _text_index(
    indexes: Iterable[Row], place: str, label: str, texts: Sequence[str], wanted: str | None
) -> Index | None:
    over = [row for row in indexes if row["type"] == "FULLTEXT" and row["entity"] == "NODE"]
    fitting = [row for row in over if label in row["labels"] and set(texts) & set(row["properties"])]
    row = _chosen(fitting, over, place, "passages.text_index", wanted, f"{label!r} with {texts[0]!r}")
    return _index(row)


def _index(row: Row | None) -> Index | None:
    return Index(row["name"], frozenset(row["labels"]), row["dimensions"]) if row else None


def _chosen(
    fitting: Sequence[Row], others: Sequence[Row], place: str, where: str, wanted: str | None, over: str
) -> Row | None:
    """The index of the name wanted, or the only one that fits. Raises InputError where that can't be told."""
    names = [row["name"] for row in fitting]
    if wanted is not None and wanted not in names:
        there = next((row for row in others if row["name"] == wanted), None)
        what = f"is over {there['labels']} with {there['properties']}" if there else "isn't there"
        fit = ", ".join(names) or "none"
        raise InputError(f"{place}, {where}: the index {wanted!r} {what}. Over {over} there is: {fit}.")
    if wanted is None and len(fitting) > 1:
        raise InputError(f"{place}, {where}: several indexes are over {over}: {', '.join(names)}. Name the one to use.")
    row = next((row for row in fitting if wanted in (None, row["name"])), None)
    if row is not None and row["state"] != "ONLINE":
        raise InputError(
            f"{place}, {where}: the index {row['name']!r} is {row['state'].lower()}, so that searches would miss "
            "what it lacks. Wait until it is online (SHOW INDEXES), then try again."
        )
    return row
