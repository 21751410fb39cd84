"""What each synonym threshold would join, from the vectors that the graph holds; nothing is embedded or written."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import GraphNotFoundError, InputError, TooManySynonymsError
from hipporag_neo4j.indexing.link_synonyms import Pairs, Phrases, Progress, find_pairs, read_phrases
from hipporag_neo4j.indexing.relink_synonyms import check_threshold
from hipporag_neo4j.schema import Graph, open_graph

MOST_THRESHOLDS = 100
_BELOW = 0.05
"""How far below the lowest threshold pairs are looked for, to show what it leaves apart."""


@dataclass(frozen=True, slots=True)
class SamplePair:
    """Two phrases and the cosine between them."""

    first: str
    second: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one threshold joins.

    `phrases_joined` have a synonym at least; `largest_component` is the number of phrases in the largest group that
    synonyms hold together, 1 where none are joined. `above` are the pairs that only just reach the threshold, `below`
    those that only just don't, nearest to it first. A threshold that joins more pairs than a graph can use has None for
    all three figures, and no samples.
    """

    threshold: float
    pairs: int | None
    phrases_joined: int | None
    largest_component: int | None
    above: tuple[SamplePair, ...] = ()
    below: tuple[SamplePair, ...] = ()


@dataclass(frozen=True, slots=True)
class NearPhrases:
    """All pairs of a graph's phrases whose cosine is at least `lowest`, the nearest first."""

    graph: Graph
    phrases: Phrases
    pairs: Pairs
    lowest: float


def find_near_phrases(
    database: Database, namespace: str, thresholds: Sequence[float], progress: Progress | None = None
) -> NearPhrases:
    """The pairs from which `judge_thresholds` tells what each of the thresholds joins.

    They begin somewhat below the lowest threshold, or at the lowest one that doesn't join more pairs than a graph can
    use. Phrases that no run has linked yet count like all others. Memory and time as for linking the whole graph.

    Raises InputError for thresholds that are none, GraphNotFoundError where there is no phrase, and
    TooManySynonymsError when every threshold joins too many pairs.
    """
    _check(thresholds)
    graph = open_graph(database, namespace)
    phrases = read_phrases(database, graph)
    if not phrases.keys:
        raise GraphNotFoundError(
            f"The graph in namespace {namespace!r} holds no phrase, so there are no synonyms to look for. Index "
            "passages first (`hipporag-neo4j index FILE` or `hipporag-neo4j import-openie FILE`)."
        )
    floors = sorted({max(min(thresholds) - _BELOW, min(thresholds) / 2), *thresholds})
    for floor in floors:
        try:
            pairs = find_pairs(
                phrases.vectors, new=len(phrases.keys), short=phrases.short, threshold=floor, progress=progress
            )
        except TooManySynonymsError:
            if floor == floors[-1]:
                raise
            continue
        order = np.argsort(-pairs.score, kind="stable")
        return NearPhrases(graph, phrases, Pairs(pairs.first[order], pairs.second[order], pairs.score[order]), floor)
    raise AssertionError("There is at least one threshold.")


def judge_thresholds(near: NearPhrases, thresholds: Sequence[float], samples: int) -> tuple[Candidate, ...]:
    """What each threshold joins, in ascending order, with at most `samples` pairs just above and just below it."""
    groups = _Groups(len(near.phrases.keys))
    found: list[Candidate] = []
    joined = 0
    for threshold in sorted(set(thresholds), reverse=True):
        if threshold < near.lowest:
            found.append(Candidate(threshold, None, None, None))
            continue
        reached = _reached(near, threshold)
        for one, other in zip(near.pairs.first[joined:reached], near.pairs.second[joined:reached], strict=True):
            groups.join(int(one), int(other))
        joined = reached
        found.append(
            Candidate(
                threshold,
                pairs=reached,
                phrases_joined=groups.joined,
                largest_component=groups.largest,
                above=_sample(near, range(reached - 1, max(reached - samples, 0) - 1, -1)),
                below=_sample(near, range(reached, min(reached + samples, len(near.pairs)))),
            )
        )
    return tuple(reversed(found))


def pairs_from(near: NearPhrases, threshold: float) -> Pairs:
    """The pairs that a threshold joins, which is at least the lowest of `near`."""
    reached = _reached(near, threshold)
    return Pairs(near.pairs.first[:reached], near.pairs.second[:reached], near.pairs.score[:reached])


def _reached(near: NearPhrases, threshold: float) -> int:
    """How many pairs a threshold joins; as float32, in which cosines are compared when phrases are linked."""
    return int(np.searchsorted(-near.pairs.score, -np.float32(threshold), side="right"))


class _Groups:
    """Groups of phrases that synonyms hold together: a disjoint-set forest that joins the smaller to the larger."""

    def __init__(self, phrases: int) -> None:
        self._parent = list(range(phrases))
        self._size = [1] * phrases
        self.joined = 0
        self.largest = 1

    def join(self, one: int, other: int) -> None:
        """Put the groups of two phrases together."""
        first, second = self._root(one), self._root(other)
        if first == second:
            return
        if self._size[first] < self._size[second]:
            first, second = second, first
        # A group of one is a phrase that had no synonym until now.
        self.joined += (self._size[first] == 1) + (self._size[second] == 1)
        self._parent[second] = first
        self._size[first] += self._size[second]
        self.largest = max(self.largest, self._size[first])

    def _root(self, phrase: int) -> int:
        parent = self._parent
        while parent[phrase] != phrase:
            parent[phrase] = parent[parent[phrase]]
            phrase = parent[phrase]
        return phrase


def _sample(near: NearPhrases, places: range) -> tuple[SamplePair, ...]:
    names, pairs = near.phrases.names, near.pairs
    found = []
    for place in places:
        first, second = sorted((names[int(pairs.first[place])], names[int(pairs.second[place])]))
        found.append(SamplePair(first, second, min(1.0, float(pairs.score[place]))))
    return tuple(found)


def _check(thresholds: Sequence[float]) -> None:
    if not thresholds:
        raise InputError("There is no threshold to try. Give one at least, such as 0.8.")
    if len(thresholds) > MOST_THRESHOLDS:
        raise InputError(f"{len(thresholds):,} thresholds are too many: take at most {MOST_THRESHOLDS}.")
    for threshold in thresholds:
        check_threshold(threshold)
