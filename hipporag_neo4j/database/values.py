"""Vectors and records in the driver's own types."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import neo4j
    import numpy as np
    from numpy.typing import NDArray


def as_vectors(matrix: "NDArray[np.float32]") -> "list[neo4j.vector.Vector]":
    """The rows of a matrix as the driver's vectors: eight times faster to send than lists."""
    import numpy
    from neo4j.vector import Vector

    return [Vector.from_numpy(row) for row in numpy.ascontiguousarray(matrix, dtype=numpy.float32)]


def as_matrix(vectors: "Sequence[neo4j.vector.Vector]", dimensions: int) -> "NDArray[np.float32]":
    """The driver's vectors as a matrix of shape (len(vectors), dimensions)."""
    import numpy

    if not vectors:
        return numpy.empty((0, dimensions), dtype=numpy.float32)
    raw = b"".join(vector.raw() for vector in vectors)
    return numpy.frombuffer(raw, dtype=">f4").astype(numpy.float32).reshape(len(vectors), dimensions)


def as_record(values: Mapping[str, Any]) -> "neo4j.Record":
    """Values in the form in which the driver gives them, for libraries that take nothing else."""
    import neo4j

    record: Any = neo4j.Record  # its constructor carries no types
    made: neo4j.Record = record(values)
    return made
