"""The graph that scripts/bench makes up, and the walk it compares with."""

import numpy as np
import pytest

from scripts._bench.made_up import MadeUpEmbedder, MadeUpGraph, iterate, make_up, make_up_corpus
from scripts._bench.yardstick import igraph_of, page_rank


def test_the_same_seed_makes_the_same_graph() -> None:
    one, same, other = make_up(500, 1), make_up(500, 1), make_up(500, 2)
    assert np.array_equal(one.ends, same.ends)
    assert np.array_equal(one.weights, same.weights)
    assert not np.array_equal(one.ends, other.ends)


def test_about_four_edges_a_node_no_loop_and_none_twice() -> None:
    graph = make_up(1000, 1)
    assert 3.9 * graph.nodes < len(graph.ends) <= 4 * graph.nodes
    assert (graph.ends[:, 0] < graph.ends[:, 1]).all()
    assert len({(int(a), int(b)) for a, b in graph.ends}) == len(graph.ends)
    assert graph.weights.min() >= 1
    assert graph.weights.max() < 2


def test_one_step_along_weighted_edges() -> None:
    """From the middle of a path a - b - c, a quarter of what moves goes to a, three quarters to c."""
    path = MadeUpGraph(3, np.array([[0, 1], [1, 2]]), np.array([1.0, 3.0]))
    scores = iterate(path.transitions(), np.array([0.0, 1.0, 0.0]), damping=0.5, iterations=1)
    assert scores == pytest.approx([0.125, 0.5, 0.375])


def test_the_walk_ends_where_igraph_does() -> None:
    graph = make_up(300, 3)
    restart = np.zeros(graph.nodes)
    restart[[7, 200]] = 0.25, 0.75
    expected = page_rank(
        igraph_of(graph.nodes, graph.ends.tolist(), graph.weights.tolist()), restart.tolist(), damping=0.5
    )
    scores = iterate(graph.transitions(), restart, damping=0.5, iterations=60)
    assert scores == pytest.approx(expected, abs=1e-10)
    assert scores.sum() == pytest.approx(1)


def test_a_made_up_corpus_has_so_many_phrases_and_two_pairs_each() -> None:
    docs = make_up_corpus(900, 1)
    assert docs == make_up_corpus(900, 1)
    triples = [triple for doc in docs for triple in doc["extracted_triples"]]
    names = sorted({name for one, _, other in triples for name in (one, other)})
    assert len(names) == 900
    assert 9 < len(triples) / len(docs) <= 10
    vectors = MadeUpEmbedder().embed(names)
    near = np.argwhere(np.triu(vectors @ vectors.T >= 0.8, k=1))
    assert len(near) == pytest.approx(2 * len(names), rel=0.02)
    assert all(names[i].split()[1] == names[j].split()[1] for i, j in near)
