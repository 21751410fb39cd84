"""Chains of two or three facts, stated by as many passages: what a multi-hop question can be made from.

Path-following: the question names one end and asks for the other, and what lies between must be found on the way.
Path-finding: the question names both ends and asks for what they share.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, permutations
from typing import Any, Literal

from hipporag_neo4j.database import Database
from hipporag_neo4j.indexing.batches import batches
from hipporag_neo4j.keys import passage_key
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.text import normalise, passage_text

Shape = Literal["path-following", "path-finding"]

MOST_PASSAGES = 10
"""A phrase that more passages mention is a hub: facts that meet there have little to do with each other."""
_AT_ONCE = 50
_TRIED = 12
"""Chains looked at for one bridge."""
_MOST_FACTS = 60
_ROUNDS = 3
"""How often all bridges are looked at, each time for one chain more."""
_LETTERS = re.compile(r"[^\W\d_]{3}|[^\W\d_a-zA-Z]{2}")
"""What a name has, and a year or `29th` hasn't."""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of the graph, normalised, and the one passage that states it."""

    subject: str
    predicate: str
    object: str
    passage: str

    @property
    def ends(self) -> tuple[str, str]:
        """Its two phrases."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class GoldText:
    """A passage as a question is written from it."""

    id: str
    title: str
    text: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Facts that follow from each other, in order, each from another passage.

    A question on it names `named`, asks for `answer`, and says neither that nor the `hidden` phrases between.
    """

    shape: Shape
    facts: tuple[StatedFact, ...]
    passages: tuple[GoldText, ...]
    named: tuple[str, ...]
    hidden: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class _Edge:
    """A fact seen from one of its phrases."""

    phrase: str
    other: str
    other_key: str
    other_passages: int
    forward: bool
    fact: tuple[str, str, str]
    passages: frozenset[str]

    @property
    def way(self) -> tuple[bool, str]:
        """In which direction, and by which predicate."""
        return self.forward, self.fact[1]

    @property
    def stated(self) -> StatedFact:
        """With its passage, where there is one."""
        (passage,) = self.passages
        return StatedFact(*self.fact, passage)


@dataclass(frozen=True, slots=True)
class _Draft:
    """The phrases of a chain from end to end, and the facts between them."""

    shape: Shape
    phrases: tuple[str, ...]
    edges: tuple[_Edge, ...]
    keys: tuple[str, ...]
    """Of the two ends."""


@dataclass(slots=True)
class ChainFinder:
    """Finds chains in a graph, no two of the same passages; the same seed gives the same chains, in a copy too."""

    database: Database
    graph: Graph
    seed: int = 0
    _around: dict[str, list[_Edge]] = field(default_factory=dict)
    _passages: dict[str, GoldText] = field(default_factory=dict)

    def find(self) -> Iterator[Chain]:
        """Chains in random order, until there are no more. Three statements for each 50 phrases looked at."""
        rows = self.database.run("evaluation/find_bridges", namespace=self.graph.namespace, most=MOST_PASSAGES)
        bridges = [(row["key"], row["name"]) for row in rows]
        random.Random(self.seed).shuffle(bridges)
        used: set[frozenset[str]] = set()
        for few in chain.from_iterable(batches(bridges, _AT_ONCE) for _ in range(_ROUNDS)):
            some = dict(few)
            self._around, self._passages = {}, {}
            self._read_facts(some)
            drafts = {key: list(self._drafts(key, name)) for key, name in some.items()}
            self._read_facts(key for draft in chain.from_iterable(drafts.values()) for key in draft.keys)
            longer = {key: self._lengthened(name, drafts[key]) for key, name in some.items()}
            self._read_facts(key for draft in chain.from_iterable(longer.values()) for key in draft.keys)
            self._read_passages(
                edge.stated.passage for draft in chain.from_iterable(longer.values()) for edge in draft.edges
            )
            for key in some:
                found = next((made for draft in longer[key] if (made := self._made(draft, used))), None)
                if found is not None:
                    used.add(frozenset(fact.passage for fact in found.facts))
                    yield found

    def _drafts(self, key: str, name: str) -> Iterator[_Draft]:
        """Pairs of facts that meet in a phrase, in random order, as chains that follow or find."""
        edges = [edge for edge in self._around.get(key, ()) if _is_usable(edge)]
        chance = random.Random(f"{self.seed} {name}")
        chance.shuffle(edges)
        pairs = [pair for pair in combinations(edges[:_MOST_FACTS], 2) if _meet_here_alone(*pair)]
        chance.shuffle(pairs)
        for one, other in pairs[:_TRIED]:
            start, end = (one, other) if chance.random() < 0.5 else (other, one)
            shape: Shape = "path-finding" if chance.random() < 1 / 3 else "path-following"
            if shape == "path-following" and not end.forward:  # asked for is an object: much is `located in` the same
                start, end = end, start
            if shape == "path-following" and self._is_ambiguous(key, end):
                shape = "path-finding"
            phrases = (start.other, start.phrase, end.other)
            yield _Draft(shape, phrases, (start, end), (start.other_key, end.other_key))

    def _lengthened(self, name: str, drafts: Sequence[_Draft]) -> list[_Draft]:
        """Those that follow with a fact more at their end, where there is one; then all as they are."""
        chance = random.Random(f"{self.seed} {name} longer")
        longer = []
        for draft in drafts:
            if draft.shape == "path-following":
                edges = self._around.get(draft.keys[1], ())
                further = [edge for edge in edges if self._goes_on(draft, edge)]
                if further:
                    last = chance.choice(further)
                    phrases, path = (*draft.phrases, last.other), (*draft.edges, last)
                    longer.append(_Draft(draft.shape, phrases, path, (draft.keys[0], last.other_key)))
        return [*longer, *drafts]

    def _goes_on(self, draft: _Draft, edge: _Edge) -> bool:
        return (
            edge.forward
            and _is_usable(edge)
            and edge.other not in draft.phrases
            and not any(edge.passages & before.passages for before in draft.edges)
            and not self._is_ambiguous(draft.keys[1], edge)
        )

    def _is_ambiguous(self, key: str, edge: _Edge) -> bool:
        """Whether the same predicate leads from the phrase to others too."""
        return any(other.way == edge.way and other.other != edge.other for other in self._around.get(key, ()))

    def _made(self, draft: _Draft, used: set[frozenset[str]]) -> Chain | None:
        """The chain, unless one passage holds it all, a phrase of it is no name, or its passages were used before."""
        start, end = draft.keys
        facts = tuple(edge.stated for edge in draft.edges)
        passages = tuple(self._passages[fact.passage] for fact in facts if fact.passage in self._passages)
        if len(passages) < len(facts):  # deleted since the facts were read
            return None
        if frozenset(fact.passage for fact in facts) in used or self._mentioned(start) & self._mentioned(end):
            return None
        titles = [passage.title for passage in passages if passage.title]
        if len(set(titles)) < len(titles):  # parts of one text
            return None
        ends, middle = (draft.phrases[0], draft.phrases[-1]), draft.phrases[1:-1]
        if any(has_words_of(one, other) for one, other in permutations(draft.phrases, 2)):
            return None  # who names the one says the other
        if draft.shape == "path-finding" and self._neighbours(start) & self._neighbours(end) != set(middle):
            return None  # the ends share something else, too
        texts = [f" {normalise(passage_text(p.title, p.text), self.graph.normalisation)} " for p in passages]
        if any(all(f" {phrase} " in text for phrase in ends) for text in texts):
            return None
        if draft.shape == "path-finding":
            made = Chain(draft.shape, facts, passages, named=ends, hidden=(), answer=middle[0])
        else:
            made = Chain(draft.shape, facts, passages, named=ends[:1], hidden=middle, answer=ends[1])
        are_names = all(
            self._is_name(phrase, passages[max(i - 1, 0) : i + 1])
            for i, phrase in enumerate(draft.phrases[: len(draft.phrases) - (draft.shape == "path-following")])
        )
        return made if are_names else None

    def _is_name(self, phrase: str, passages: Sequence[GoldText]) -> bool:
        """Whether each of the passages has the phrase among its named entities."""
        return _LETTERS.search(phrase) is not None and all(
            any(normalise(entity, self.graph.normalisation) == phrase for entity in passage.entities)
            for passage in passages
        )

    def _mentioned(self, key: str) -> set[str]:
        return {passage for edge in self._around.get(key, ()) for passage in edge.passages}

    def _neighbours(self, key: str) -> set[str]:
        return {edge.other for edge in self._around.get(key, ())}

    def _read_facts(self, keys: Iterable[str]) -> None:
        wanted = [key for key in dict.fromkeys(keys) if key not in self._around]
        if not wanted:
            return
        rows = self.database.run("evaluation/find_facts_around", namespace=self.graph.namespace, keys=wanted)
        for row in rows:
            self._around.setdefault(row["around"], []).append(_edge(row))
        for key in wanted:
            self._around.get(key, []).sort(key=lambda edge: edge.fact)

    def _read_passages(self, ids: Iterator[str]) -> None:
        keys = [passage_key(self.graph.namespace, id_) for id_ in dict.fromkeys(ids)]
        rows = self.database.run("evaluation/read_passages", namespace=self.graph.namespace, keys=keys)
        for row in rows:
            self._passages[row["id"]] = GoldText(row["id"], row["title"], row["text"], tuple(row["entities"]))


def has_words_of(phrase: str, text: str) -> bool:
    """Whether all words of a normalised phrase are in a normalised text, in any order."""
    words = phrase.split()
    return bool(words) and set(words) <= set(text.split())


def _edge(row: Mapping[str, Any]) -> _Edge:
    forward = row["around"] == row["subject_key"]
    here, there = ("subject", "object") if forward else ("object", "subject")
    return _Edge(
        phrase=row[here],
        other=row[there],
        other_key=row[f"{there}_key"],
        other_passages=row[f"{there}_passages"],
        forward=forward,
        fact=(row["subject"], row["predicate"], row["object"]),
        passages=frozenset(row["passages"]),
    )


def _is_usable(edge: _Edge) -> bool:
    """Whether one passage alone states the fact, and it leads to no hub and not back to where it starts."""
    return (
        len(edge.passages) == 1
        and edge.other_passages <= MOST_PASSAGES
        and edge.other != edge.phrase
        and any(c.isalnum() for c in edge.other)
    )


def _meet_here_alone(one: _Edge, other: _Edge) -> bool:
    """Whether two facts of a phrase are of different passages and lead to different phrases.

    One of them must say something about the phrase: what is only ever said of others is a kind or a quality.
    """
    return not one.passages & other.passages and one.other != other.other and (one.forward or other.forward)
