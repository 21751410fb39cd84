"""The inspections there are: every statement in cypher/inspect, grouped by what people ask."""

import difflib
from dataclasses import dataclass
from functools import cache

from hipporag_neo4j import queries
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.inspection.parameters import Parameter, parameters_of
from hipporag_neo4j.queries import Query, QueryFileError

STAGE = "inspect"
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "What does the graph say of a thing?",
        (
            "phrases-by-name",
            "facts-of-phrase",
            "passages-of-phrase",
            "neighbours-of-phrase",
            "nearest-phrases",
            "draw-facts-of-phrase",
            "draw-synonyms",
        ),
    ),
    (
        "What was read in a passage?",
        ("passage-details", "facts-of-passage", "passages-of-fact", "draw-passage"),
    ),
    (
        "How do things hang together?",
        (
            "path-between-phrases",
            "links-between-passages",
            "passages-of-question",
            "draw-paths-between-phrases",
            "draw-links-between-passages",
            "draw-question",
        ),
    ),
    (
        "What does the graph look like as a whole?",
        (
            "phrase-hubs",
            "synonym-clusters",
            "frequent-predicates",
            "most-stated-facts",
            "metadata-names",
            "passages-by-metadata",
        ),
    ),
    (
        "What looks wrong?",
        (
            "suspicious-synonyms",
            "merged-spellings",
            "contradicting-facts",
            "opposed-facts",
            "longest-phrases",
            "duplicate-texts",
            "orphaned-parts",
        ),
    ),
    (
        "What did reading miss?",
        (
            "health-measures",
            "quality-by-run",
            "passages-without-facts",
            "thin-passages",
            "entities-without-facts",
            "phrases-of-one-passage",
            "phrases-without-synonyms",
            "failed-passages",
            "malformed-answers",
        ),
    ),
    (
        "How did the graph come to be?",
        ("growth-by-day", "run-history", "answers-by-model"),
    ),
)
"""Names by the question they answer, in the order of docs/cypher.md."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """A statement that people run by name."""

    name: str
    query: Query
    parameters: tuple[Parameter, ...]


@cache
def inspections() -> dict[str, Inspection]:
    """All inspections by name, in the order of GROUPS. Raises QueryFileError for one that stands in no group."""
    grouped = [name for _, names in GROUPS for name in names]
    files = {
        name.removeprefix(f"{STAGE}/").replace("_", "-") for name in queries.names() if name.startswith(f"{STAGE}/")
    }
    if len(grouped) != len(set(grouped)) or set(grouped) != files:
        raise QueryFileError(f"cypher/{STAGE} and the groups differ in {sorted(set(grouped) ^ files)}.")
    return {name: _load(name) for name in grouped}


def _load(name: str) -> Inspection:
    query = queries.load(f"{STAGE}/{name.replace('-', '_')}")
    if query.mode != "read":
        raise QueryFileError(f"cypher/{query.name}.cypher has the mode {query.mode}; an inspection only reads.")
    return Inspection(name, query, parameters_of(query))


def find_inspection(name: str) -> Inspection:
    """The inspection of a name, written with - or _. Raises InputError that offers the nearest names."""
    known = inspections()
    wanted = name.strip().lower().replace("_", "-")
    if wanted in known:
        return known[wanted]
    parts = set(wanted.split("-"))
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    near += [other for other in known if parts & set(other.split("-")) - {"of", "by", "between"} and other not in near]
    meant = f" Perhaps {' or '.join(near[:3])}?" if near else ""
    raise InputError(f"There is no inspection {name!r}.{meant} `hipporag-neo4j inspect` lists all {len(known)}.")
