"""One question to a graph of others, one mode, one result."""

from collections.abc import Sequence
from dataclasses import replace

from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.errors import GraphMismatchError, InputError
from hipporag_neo4j.existing.layout import Index, Layout
from hipporag_neo4j.existing.sources import ExistingSources
from hipporag_neo4j.existing.ways import plan
from hipporag_neo4j.filters import Where
from hipporag_neo4j.projection import Weights, projection_prefix
from hipporag_neo4j.retrieval.retrieve import Options, check_question, check_without_llm, retrieve
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.schema import read_graph


async def retrieve_existing(
    sources: Sources,
    layout: Layout,
    question: str,
    *,
    mode: Mode,
    limit: int,
    entities: Sequence[str] | None,
    options: Options,
    looks: int = 1,
    no_llm: bool = False,
    where: Where | None = None,
) -> RetrievalResult:
    """The `limit` best passages for a question, as `retrieve` for this product's own graphs; nothing is written.

    Raises InputError for what can't be asked, ConfigurationError for a mode that the graph has too little for, and
    GraphNotFoundError where it holds no passage.
    """
    check_question(question, mode, limit, entities, looks)
    if no_llm:
        check_without_llm(mode, looks)
    refuse_filter(where)
    own = replace(options, weights=Weights(mention=options.weights.mention))
    way = plan(layout, mode, own, entities=entities, looks=looks, no_llm=no_llm)
    over = ExistingSources(sources, layout)
    graph = read_graph((await over.run("schema/find_graph"))[0]["graph"])
    result = await retrieve(
        over, graph, question, mode=way.mode, limit=limit, entities=entities, options=way.options, looks=looks
    )
    return replace(result, mode=mode, way=way.note, no_llm=no_llm and mode == "hybrid", version=0)


async def drop_projections(sources: Sources, layout: Layout) -> None:
    """Drop what is projected of a graph of others, in whatever state; the next question projects it anew."""
    for row in await sources.run("projection/list_projections", prefix=projection_prefix(layout.namespace)):
        await sources.run("projection/drop_projection", graph=row["graph"])


def refuse_filter(where: Where | None) -> None:
    """Raises InputError for any filter."""
    if where is not None:
        raise InputError(
            "A graph of others can't be asked with a filter: its metadata isn't declared. Leave --where (where=…) out."
        )


def check_dimensions(layout: Layout, embedder: Embedder) -> None:
    """Raises GraphMismatchError where an index holds vectors of another length than the embedding model's."""
    if problem := dimension_problem(layout, embedder):
        raise GraphMismatchError(problem)


def dimension_problem(layout: Layout, embedder: Embedder) -> str | None:
    """What is wrong where an index holds vectors of another length than the embedding model's."""
    indexes: list[Index | None] = [
        layout.passage_index,
        *(kind.index for kind in layout.phrases),
        *(kind.index for kind in layout.relationships),
    ]
    for index in indexes:
        if index is not None and index.dimensions not in (None, embedder.dimensions):
            return (
                f"The index {index.name!r} holds vectors of {index.dimensions} dimensions, and the embedding model "
                f"{embedder.name!r} gives {embedder.dimensions}. Set HIPPORAG_EMBEDDING_MODEL to the model that made "
                "the vectors."
            )
    return None
