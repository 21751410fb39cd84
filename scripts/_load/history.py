"""What the graph held after each write transaction, replayed from what the writers kept."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.keys import passage_key, phrase_key
from hipporag_neo4j.status import Status
from tests.graphs import Content, Fact, assert_same, expected_content, passage


class HistoryError(Exception):
    """The writers' records don't add up; the message says where."""


class History:
    """The graph of a namespace, from version to version; `version` is the one that it stands at."""

    def __init__(self, namespace: str, commits: Sequence[Mapping[str, Any]]) -> None:
        """Raises HistoryError where a version is missing, or there twice."""
        self._namespace = namespace
        self._commits = {commit["version"]: commit for commit in commits}
        found = Counter(commit["version"] for commit in commits)
        for version in range(1, max(found, default=0) + 1):
            if found[version] != 1:
                same = [commit for commit in commits if commit["version"] == version]
                raise HistoryError(f"Version {version} was made by {found[version]} transactions: {same}.")
        self._texts: dict[str, str] = {}
        self._facts: dict[str, list[Fact]] = {}
        self._ids: dict[str, str] = {}
        # Phrases are written ahead of the passages that mention them, so that others may have joined them before.
        written = (triples for commit in commits for _, triples in commit.get("written", ()))
        names = {name for triples in written for s, _, o in triples for name in (s, o)}
        self._names = {phrase_key(namespace, name): name for name in names}
        self._synonyms: dict[tuple[str, str], float] = {}
        self.version = 0

    @property
    def last(self) -> int:
        """The last version."""
        return len(self._commits)

    def go_to(self, version: int) -> None:
        """Forward to a version."""
        while self.version < version:
            self.version += 1
            self._apply(self._commits[self.version])

    def content(self) -> Content:
        """What the graph holds; phrases also where nothing mentions them any more but a synonym."""
        facts: dict[Fact, set[str]] = {}
        mentions: Counter[tuple[str, str]] = Counter()
        for id_, said in self._facts.items():
            for fact in said:
                facts.setdefault(fact, set()).add(id_)
                mentions.update((id_, name) for name in {fact[0], fact[2]})
        names = {name for _, name in mentions} | {name for pair in self._synonyms for name in pair}
        return Content(
            dict(self._texts),
            frozenset(names),
            {fact: frozenset(ids) for fact, ids in facts.items()},
            dict(mentions),
            dict(self._synonyms),
        )

    def passages(self) -> list[ExtractedPassage]:
        """The passages, as they were written."""
        return [passage(id_, *said, text=self._texts[id_]) for id_, said in self._facts.items()]

    def _apply(self, commit: Mapping[str, Any]) -> None:
        for id_, triples in commit.get("written", ()):
            self._texts[id_] = passage(id_, *((s, p, o) for s, p, o in triples)).passage.text
            self._facts[id_] = list(dict.fromkeys((s, p, o) for s, p, o in triples if s != o))
            self._ids[passage_key(self._namespace, id_)] = id_
        for key in commit.get("deleted", ()):
            del self._texts[self._ids[key]], self._facts[self._ids[key]]
        for source, target, score in commit.get("synonyms", ()):
            one, other = sorted((self._names[source], self._names[target]))
            self._synonyms[one, other] = score
        if "orphans" in commit:
            mentioned = {name for said in self._facts.values() for s, _, o in said for name in (s, o)}
            self._synonyms = {pair: score for pair, score in self._synonyms.items() if mentioned.issuperset(pair)}


def read_lines(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The objects of files with one JSON object a line."""
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def differ_from_fresh(history: History, status: Status, embedder: Embedder) -> str | None:
    """What tells the graph at the end, as recorded and as counted on the server, from a fresh build of its passages."""
    found = history.content()
    fresh = expected_content(
        history.passages(), embedder, normalisation="unicode", threshold=status.graph.synonym_threshold
    )
    try:
        assert_same(found, fresh)
    except AssertionError as error:
        return f"it isn't a fresh build: {error}"
    counted = (status.passages, status.phrases, status.facts, status.mentions, status.synonyms)
    expected = tuple(map(len, (fresh.passages, fresh.phrases, fresh.facts, fresh.mentions, fresh.synonyms)))
    if counted != expected or status.interrupted:
        return f"passages, phrases, facts, mentions and synonyms are {counted}, not {expected}"
    return None
