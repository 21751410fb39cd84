"""From a question's entities to the phrases of the graph that are nearest to them."""

from collections.abc import Sequence

from hipporag_neo4j.database import as_vectors
from hipporag_neo4j.keys import phrase_key
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.retrieval.weigh_seeds import LinkedPhrase
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.text import normalise
from hipporag_neo4j.timing import Stages

_FETCHED = 200
"""Phrases taken from the approximate index for each entity, before the exact scoring."""


async def link_entities(
    sources: Sources, graph: Graph, entities: Sequence[str], stages: Stages
) -> tuple[LinkedPhrase, ...]:
    """For each entity the one phrase with the highest cosine, an equal name first (HippoRAG, section 2.3).

    Entities are normalised before they are embedded; those of which nothing is left are not linked.
    """
    names = list(dict.fromkeys(name for entity in entities if (name := normalise(entity, graph.normalisation))))
    if not names:
        return ()
    with stages.time("embed"):
        vectors = as_vectors(await sources.embed(names))
    with stages.time("link"):
        rows = await sources.run(
            "retrieval/find_nearest_phrases",
            namespace=graph.namespace,
            entities=[
                {"name": name, "key": phrase_key(graph.namespace, name), "embedding": vector}
                for name, vector in zip(names, vectors, strict=True)
            ],
            fetch=_FETCHED,
        )
    return tuple(
        LinkedPhrase(row["key"], row["phrase"], row["entity"], row["similarity"], row["passages"]) for row in rows
    )
