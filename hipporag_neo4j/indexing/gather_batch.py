"""What a batch of read passages adds to the graph, as plain rows: normalised, counted, keyed."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hipporag_neo4j.domain import ExtractedPassage, Triple
from hipporag_neo4j.keys import fact_key, passage_key, phrase_key, search_scope
from hipporag_neo4j.text import Normalisation, fact_text, normalise, passage_text

_LONGEST_PHRASE = 2000
"""Characters of the longest phrase or predicate that is kept: models that don't end produce longer ones, which name
nothing, and the index of names holds at most 32 KB a name."""


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage as it will stand in the graph; `phrases` maps a phrase's key to the passage's facts that contain it."""

    key: str
    properties: Mapping[str, Any]
    text: str
    phrases: Mapping[str, int]


@dataclass(slots=True)
class FactRow:
    """A distinct fact of the batch and the ids of the batch's passages that state it."""

    subject: str
    predicate: str
    object: str
    text: str
    passages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything a batch adds; phrases (key -> name) and facts (by key) are distinct within it."""

    passages: tuple[PassageRow, ...]
    phrases: Mapping[str, str]
    facts: Mapping[str, FactRow]

    def of(self, keys: Container[str]) -> "Batch":
        """What some of its passages add, by their keys."""
        passages = tuple(row for row in self.passages if row.key in keys)
        phrases = {key for row in passages for key in row.phrases}
        ids = {row.properties["id"] for row in passages}
        facts = {
            key: replace(fact, passages=stated)
            for key, fact in self.facts.items()
            if (stated := [id_ for id_ in fact.passages if id_ in ids])
        }
        return Batch(passages, {key: name for key, name in self.phrases.items() if key in phrases}, facts)


@dataclass(frozen=True, slots=True)
class IdentifiedPassage:
    """A read passage with its id, and the hash that decides whether it changed."""

    id: str
    content_hash: str
    extracted: ExtractedPassage


def gather_batch(
    passages: Sequence[IdentifiedPassage], *, namespace: str, normalisation: Normalisation, run: str
) -> Batch:
    """The rows that these passages add to the graph.

    A mention's count is the number of the passage's distinct facts that contain the phrase (HippoRAG's matrix P).
    Under `unicode`, triples whose subject and object are the same, or with an empty part, are dropped and counted on
    the passage as `dropped`; under `paper` they are kept, as in the official code. Triples with a part of more than
    2,000 characters are dropped and counted under both.
    """
    names: dict[str, str] = {}
    facts: dict[str, FactRow] = {}
    rows: list[PassageRow] = []
    for passage in passages:
        extraction = passage.extracted.extraction
        distinct, dropped = distinct_facts(extraction.triples, normalisation)
        counts: dict[str, int] = {}
        for subject, predicate, object_ in distinct:
            ends = [phrase_key(namespace, name) for name in (subject, object_)]
            names.update(zip(ends, (subject, object_), strict=True))
            for end in dict.fromkeys(ends):
                counts[end] = counts.get(end, 0) + 1
            key = fact_key(namespace, subject, predicate, object_)
            fact = facts.setdefault(key, FactRow(ends[0], predicate, ends[1], fact_text(subject, predicate, object_)))
            fact.passages.append(passage.id)
        rows.append(
            PassageRow(
                key=passage_key(namespace, passage.id),
                properties=_properties(passage, namespace, run, dropped),
                text=passage_text(passage.extracted.passage.title, passage.extracted.passage.text),
                phrases=counts,
            )
        )
    return Batch(tuple(rows), names, facts)


def distinct_facts(
    triples: Sequence[Triple], normalisation: Normalisation
) -> tuple[dict[tuple[str, str, str], None], int]:
    """The normalised facts in order, each once, and how many triples were dropped."""
    facts: dict[tuple[str, str, str], None] = {}
    dropped = 0
    for triple in triples:
        fact = (
            normalise(triple.subject, normalisation),
            normalise(triple.predicate, normalisation),
            normalise(triple.object, normalisation),
        )
        says_nothing = fact[0] == fact[2] or not all(fact)
        if (normalisation == "unicode" and says_nothing) or max(map(len, fact)) > _LONGEST_PHRASE:
            dropped += 1
        else:
            facts[fact] = None
    return facts, dropped


def _properties(passage: IdentifiedPassage, namespace: str, run: str, dropped: int) -> dict[str, Any]:
    source, extraction = passage.extracted.passage, passage.extracted.extraction
    properties: dict[str, Any] = {
        "id": passage.id,
        "namespace": namespace,
        "scope": search_scope(namespace),
        "title": source.title,
        "text": source.text,
        "content_hash": passage.content_hash,
        "status": "failed" if extraction.error else "written",
        "error": extraction.error,
        "entities": list(extraction.entities),
        "malformed": list(extraction.malformed) or None,
        "dropped": dropped or None,
        "truncated": extraction.truncated or None,
        "document": source.document,
        "part": source.part,
        "row": passage.extracted.row,
        "run": run,
    }
    properties |= {f"meta_{name}": value for name, value in source.metadata.items()}
    return {name: value for name, value in properties.items() if value is not None}
