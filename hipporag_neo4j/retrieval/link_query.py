"""From a question, or what it names, to phrases of the graph."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.retrieval.allow import search
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.weigh_seeds import LinkedPhrase, NamedPhrase
from hipporag_neo4j.text import normalise

if TYPE_CHECKING:
    from neo4j.vector import Vector

NodeLinking = Literal["entities", "question"]
"""What is linked to phrases: the question's entities, each to the nearest one, or the question, to several."""

_FETCHED = 200
"""Phrases taken from the approximate index for each entity, before the exact scoring."""
_MOST_ENTITIES = 1000
"""Named by one question; each that isn't a phrase of the graph costs milliseconds."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The phrases a question was linked to, and the entities it was linked by."""

    phrases: tuple[LinkedPhrase, ...]
    entities: tuple[str, ...] = ()


async def link_nodes(inquiry: Inquiry, linking: NodeLinking, *, most: int) -> Linked:
    """Phrases for the question's entities, which the language model names unless they are given, or the `most` phrases
    nearest to the question itself."""
    if linking == "question":
        with inquiry.stages.time("embed"):
            vector = as_vectors(await inquiry.sources.embed([inquiry.question]))[0]
        with inquiry.stages.time("link"):
            return Linked(await _near_question(inquiry, vector, most))
    entities = inquiry.entities
    if entities is None:
        with inquiry.stages.time("entities"):
            entities = (await inquiry.sources.name_entities(inquiry.question)).entities
    return Linked(await link_entities(inquiry, entities), tuple(entities))


async def _near_question(inquiry: Inquiry, vector: "Vector", most: int) -> tuple[LinkedPhrase, ...]:
    itself = {"name": inquiry.question, "embedding": vector}
    rows = await search(
        inquiry,
        ("retrieval/find_phrases_by_vector", {"embedding": vector, "limit": most}),
        ("retrieval/find_allowed_phrases", {"entities": [itself], "limit": most}),
        fetch=max(_FETCHED, 2 * most),
    )
    return tuple(LinkedPhrase(row["key"], row["phrase"], None, row["similarity"], row["passages"]) for row in rows)


async def find_named(inquiry: Inquiry, names: Iterable[str]) -> tuple[NamedPhrase, ...]:
    """The phrases that have the same normalised name as one of `names`, and that a passage mentions."""
    graph = inquiry.graph
    wanted: dict[str, dict[str, str]] = {}
    for name in names:
        if normalised := normalise(name, graph.normalisation):
            key = phrase_key(graph.namespace, normalised)
            wanted.setdefault(normalised, {"key": key, "name": normalised, "said": name})
    if not wanted:
        return ()
    rows = await inquiry.run("retrieval/find_named_phrases", entities=list(wanted.values()))
    return tuple(NamedPhrase(row["key"], row["phrase"], row["entity"], row["passages"]) for row in rows)


async def link_entities(inquiry: Inquiry, entities: Sequence[str]) -> tuple[LinkedPhrase, ...]:
    """For each entity the one phrase with the highest cosine, an equal name first (HippoRAG, section 2.3).

    Entities are normalised before they are embedded; those of which nothing is left are not linked. An equal name has
    the similarity 1 and is looked up, which costs neither a vector nor a search; in a graph of others several phrases
    may have it. Raises InputError for more than 1,000.
    """
    graph, stages = inquiry.graph, inquiry.stages
    said: dict[str, str] = {}
    for entity in entities:
        if name := normalise(entity, graph.normalisation):
            said.setdefault(name, entity)
    names = list(said)
    if len(names) > _MOST_ENTITIES:
        raise InputError(
            f"{len(names):,} entities are given for one question; at most {_MOST_ENTITIES:,} are looked for. Give "
            "those that the question names."
        )
    with stages.time("link"):
        found: dict[str, list[LinkedPhrase]] = {}
        for named in await find_named(inquiry, said.values()):
            name = normalise(named.entity, graph.normalisation)
            found.setdefault(name, []).append(LinkedPhrase(named.key, named.phrase, name, 1.0, named.passages))
    others = [name for name in names if name not in found]
    if others:
        with stages.time("embed"):
            vectors = as_vectors(await inquiry.sources.embed(others))
        with stages.time("link"):
            wanted = [
                {"name": name, "key": phrase_key(graph.namespace, name), "embedding": vector}
                for name, vector in zip(others, vectors, strict=True)
            ]
            rows = await search(
                inquiry,
                ("retrieval/find_nearest_phrases", {"entities": wanted}),
                ("retrieval/find_allowed_phrases", {"entities": wanted, "limit": 1}),
                fetch=_FETCHED,
                enough=lambda rows: len(rows) == len(wanted),
            )
        found |= {
            row["entity"]: [LinkedPhrase(row["key"], row["phrase"], row["entity"], row["similarity"], row["passages"])]
            for row in rows
        }
    return tuple(phrase for name in names for phrase in found.get(name, ()))
