"""Graphs and corpora of any size, the same for the same seed, and PageRank by power iteration."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

EDGES_OF_A_NODE = 4
_NEW_PHRASES, _KNOWN_PHRASES, _FACTS = 9, 2, 9
"""Of a passage, as in the MuSiQue corpus: phrases that no passage before mentions, others, and facts."""
_ALIKE = 5
"""Phrases that are synonyms of each other: two pairs a phrase, as in the whole MuSiQue corpus."""


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


def make_up_corpus(phrases: int, seed: int) -> list[dict[str, Any]]:
    """Entries of an OpenIE file that mention about so many phrases, as often as those of the MuSiQue corpus do."""
    rng = np.random.default_rng(seed)
    docs = []
    for number in range(phrases // _NEW_PHRASES):
        begin = number * _NEW_PHRASES
        known = rng.integers(0, begin + _NEW_PHRASES, _KNOWN_PHRASES)
        names = [_name(int(place)) for place in (*range(begin, begin + _NEW_PHRASES), *known)]
        pairs = [(names[place], names[place + 1]) for place in range(_FACTS + 1)]
        triples = [[one, f"predicate {rng.integers(50)}", other] for one, other in pairs if one != other]
        docs.append({"idx": number, "passage": f"title {number}\ntext {number}", "extracted_triples": triples})
    return docs


def _name(place: int) -> str:
    return f"group {place // _ALIKE} phrase {place}"


class MadeUpEmbedder:
    """A direction for each text; phrases of a group are near: cosine .92, all others have a cosine of about 0."""

    name = "made up"

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions); of length 1."""
        vectors = np.array([self._vector(text) for text in texts])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float64]:
        group, is_phrase, _ = text.partition(" phrase ")
        own = self._direction(text)
        return self._direction(group) + 0.3 * own if is_phrase and group.startswith("group ") else own

    def _direction(self, text: str) -> NDArray[np.float64]:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)
