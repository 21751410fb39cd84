"""What a graph takes on the server's disk and of its memory, from what MuSiQue took."""

from hipporag_neo4j.indexing.foretell import Content, Figure
from hipporag_neo4j.status import Status

_ELEMENT = 400.0
"""Bytes a passage, phrase or fact takes on disk without its text and vector, with mentions, synonyms and indexes."""
_TEXT = 2.2
"""Bytes a character of a passage takes, in the store and in the full-text index."""
_VECTOR = 2.5
"""Bytes on disk for each byte of a vector: the property takes half, the vector index the other."""
_FLOAT = 4
_GRAPH_IN_MEMORY = 450.0
"""Bytes a relationship of a projection takes in fact: 39.7 MB for MuSiQue's 87,824."""
_BASE_HEAP = 1_000_000_000.0
"""Bytes that Neo4j needs of itself: 0.6 GB were in use after MuSiQue was written."""
DEFAULT_DIMENSIONS = 384


def foretell_store(there: Status | None, content: Content, characters: int, dimensions: int) -> Figure:
    """Bytes that the database grows by on disk, once it has written everything there (a checkpoint).

    `characters` are those of the new passages. The transaction log comes on top until Neo4j prunes it.
    """
    held = there.passages + there.phrases + there.facts if there is not None else 0
    elements = content.passages + content.phrases + content.facts - held
    grown = elements * (_ELEMENT + _VECTOR * _FLOAT * dimensions) + _TEXT * characters
    return Figure(grown, f"default: measured on MuSiQue; {dimensions:,} dimensions")


def foretell_heap(content: Content, projection: Figure, walk: Figure) -> Figure:
    """Bytes of heap to give Neo4j at least: its own needs, two projections, one being made while the other is walked,
    and a walk."""
    held = max(projection.value, _GRAPH_IN_MEMORY * content.relationships)
    return Figure(
        _BASE_HEAP + 2 * held + walk.value,
        "default: 1 GB, a walk, and two projections as large in memory as MuSiQue's",
    )
