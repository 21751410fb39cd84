"""A graph of any size, the same for the same seed, and PageRank over it by power iteration."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

EDGES_OF_A_NODE = 4


@dataclass(frozen=True)
class MadeUpGraph:
    """An undirected graph: two ends and a weight for each edge."""

    nodes: int
    ends: NDArray[np.int64]
    """Shape (edges, 2)."""
    weights: NDArray[np.float64]

    def weighted_edges(self) -> list[list[float | int]]:
        """Two ends and a weight for each edge."""
        return [[int(a), int(b), float(w)] for (a, b), w in zip(self.ends, self.weights, strict=True)]

    def transitions(self) -> csr_array:
        """The matrix that takes probabilities one step along the edges: columns sum to 1."""
        one, other = self.ends.T
        shape = (self.nodes, self.nodes)
        adjacency = csr_array(
            (np.tile(self.weights, 2), (np.concatenate([other, one]), np.concatenate([one, other]))), shape=shape
        )
        return csr_array(adjacency.multiply(1 / adjacency.sum(axis=0)[np.newaxis, :]))


def make_up(nodes: int, seed: int) -> MadeUpGraph:
    """Every node is joined to four others, chosen with a preference for low numbers: some hubs, many with few edges.

    No loops, no edge twice: about 4 edges a node. Weights are from 1 to 2, as those of facts and synonyms.
    """
    rng = np.random.default_rng(seed)
    one = np.repeat(np.arange(nodes), EDGES_OF_A_NODE)
    other = (nodes * rng.random(len(one)) ** 2).astype(np.int64)
    ends = np.sort(np.stack([one, other], axis=1), axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return MadeUpGraph(nodes, ends, 1 + rng.random(len(ends)))


def iterate(
    transitions: csr_array, restart: NDArray[np.float64], *, damping: float, iterations: int
) -> NDArray[np.float64]:
    """Personalized PageRank by power iteration; sums to 1."""
    scores = restart
    for _ in range(iterations):
        scores = (1 - damping) * restart + damping * (transitions @ scores)
    return scores
