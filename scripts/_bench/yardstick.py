"""igraph's PageRank over the same graph as a projection."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import igraph

from hipporag_neo4j.database import Database


class Yardstick:
    """A projection's nodes, by key and in order of their ids, and its edges, as an igraph graph."""

    def __init__(self, database: Database, walk: Mapping[str, Any]) -> None:
        """`walk` holds the parameters of a walk over the projection: nodes are what it streams."""
        nodes = sorted(database.run("bench/stream_walk", **{**walk, "iterations": 1}), key=itemgetter("node"))
        place = {row["node"]: number for number, row in enumerate(nodes)}
        self.keys = {row["key"]: place[row["node"]] for row in nodes}
        edges: list[tuple[int, int]] = []
        weights: list[float] = []
        loops: dict[int, list[float]] = {}
        for row in database.stream("bench/stream_edges", graph=walk["graph"]):
            source, target = place[row["source"]], place[row["target"]]
            if source < target:
                edges.append((source, target))
                weights.append(row["weight"])
            elif source == target:
                loops.setdefault(source, []).append(row["weight"])
        for node, both in loops.items():  # a loop is streamed twice, and igraph counts it twice itself
            edges += [(node, node)] * (len(both) // 2)
            weights += sorted(both)[::2]
        self._graph = igraph_of(len(nodes), edges, weights)

    @property
    def edges(self) -> int:
        """Undirected edges."""
        count: int = self._graph.ecount()
        return count

    def restart(self, walk: Mapping[str, Any]) -> list[float]:
        """The restart probability of each node."""
        restart = [0.0] * len(self.keys)
        for seed in (*walk["phrases"], *walk["passages"]):
            restart[self.keys[seed["key"]]] = seed["weight"]
        return restart

    def scores(self, restart: Sequence[float], damping: float) -> list[float]:
        """PageRank of each node."""
        return page_rank(self._graph, restart, damping=damping)


def igraph_of(nodes: int, edges: Sequence[tuple[int, int]], weights: Sequence[float]) -> igraph.Graph:
    """An undirected igraph graph with weights."""
    graph = igraph.Graph(n=nodes, edges=edges)
    graph.es["weight"] = weights
    return graph


def page_rank(graph: igraph.Graph, restart: Sequence[float], *, damping: float) -> list[float]:
    """Personalized PageRank of each node by prpack; sums to 1."""
    scores: list[float] = graph.personalized_pagerank(
        reset=restart, damping=damping, weights="weight", directed=False, implementation="prpack"
    )
    return scores
