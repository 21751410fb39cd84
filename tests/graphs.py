"""What tests write into a graph and read back, and a second, plain implementation of what the product should do."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

import igraph
import numpy as np
from numpy.typing import NDArray

from hipporag_neo4j.domain import ExtractedPassage, Extraction, Passage, Triple
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.index_report import IndexReport
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.retrieval.filter_facts import Verdict
from hipporag_neo4j.settings import ProjectionWeights
from hipporag_neo4j.text import Normalisation, normalise
from tests.servers import TestServer

if TYPE_CHECKING:
    import neo4j

Fact = tuple[str, str, str]
DIMENSIONS = 384
"""Of every embedder in tests that write: a database has one dimension."""


def passage(id_: str, *facts: Fact, title: str = "", text: str | None = None) -> ExtractedPassage:
    """A passage with ready triples; its text says what its facts say unless it is given."""
    said = text if text is not None else ". ".join(" ".join(fact) for fact in facts) or f"Nothing in {id_}."
    return ExtractedPassage(Passage(said, id=id_, title=title), Extraction(triples=tuple(Triple(*f) for f in facts)))


def keep_all(question: str, facts: Sequence[Fact], known: Sequence[Fact]) -> Verdict:
    """A fact filter that drops nothing."""
    return Verdict(tuple(range(len(facts))))


def write(rag: HippoRAG, passages: Iterable[ExtractedPassage]) -> IndexReport:
    """Index passages with ready triples."""
    return Indexer(rag.database, rag.init(), rag.embedder).import_extracted(passages)


@dataclass(frozen=True)
class Content:
    """What a graph holds: texts by passage, passages by fact, counts by passage and phrase, cosines by sorted pair."""

    passages: Mapping[str, str]
    phrases: frozenset[str]
    facts: Mapping[Fact, frozenset[str]]
    mentions: Mapping[tuple[str, str], int]
    synonyms: Mapping[tuple[str, str], float]


def read_content(driver: "neo4j.Driver", server: TestServer, namespace: str) -> Content:
    """What stands in the database, as anybody would read it; checks that nothing stands there twice."""

    def rows(statement: LiteralString) -> list[list[Any]]:
        with driver.session(database=server.database) as session:
            return session.run(statement, namespace=namespace).values()

    def once(found: list[list[Any]]) -> list[list[Any]]:
        assert len({tuple(row[:-1]) for row in found}) == len(found), f"twice in the graph: {found}"
        return found

    passages = once(rows("MATCH (p:Passage {namespace: $namespace}) RETURN p.id, p.text"))
    phrases = once(rows("MATCH (p:Phrase {namespace: $namespace}) RETURN p.name, 0"))
    facts = once(
        rows(
            "MATCH (s:Phrase {namespace: $namespace})-[r:RELATES {namespace: $namespace}]->(o:Phrase) "
            "WHERE r.embedding IS NOT NULL RETURN s.name, r.predicate, o.name, r.passages"
        )
    )
    mentions = once(
        rows("MATCH (p:Passage {namespace: $namespace})-[m:MENTIONS]->(f:Phrase) RETURN p.id, f.name, m.count")
    )
    synonyms = once(
        rows(
            "MATCH (a:Phrase {namespace: $namespace})-[s:SYNONYM]->(b:Phrase) "
            "RETURN CASE WHEN a.name < b.name THEN a.name ELSE b.name END, "
            "CASE WHEN a.name < b.name THEN b.name ELSE a.name END, s.score"
        )
    )
    for fact in facts:
        assert len(set(fact[3])) == len(fact[3]), f"a passage stands twice in {fact}"
    return Content(
        passages=dict(passages),
        phrases=frozenset(name for name, _ in phrases),
        facts={(s, p, o): frozenset(ids) for s, p, o, ids in facts},
        mentions={(p, f): count for p, f, count in mentions},
        synonyms={(a, b): score for a, b, score in synonyms},
    )


def expected_content(
    passages: Iterable[ExtractedPassage], embedder: Embedder, *, normalisation: Normalisation, threshold: float
) -> Content:
    """What a graph of exactly these passages should hold, by the definitions and not by the product's code."""
    final = {str(p.passage.id): p for p in passages}
    facts: dict[Fact, set[str]] = {}
    mentions: dict[tuple[str, str], int] = {}
    for id_, extracted in final.items():
        said: set[Fact] = set()
        for triple in extracted.extraction.triples:
            s, p, o = (normalise(part, normalisation) for part in (triple.subject, triple.predicate, triple.object))
            said.add((s, p, o))
        if normalisation == "unicode":
            said = {(s, p, o) for s, p, o in said if s and p and o and s != o}
        for fact in said:
            facts.setdefault(fact, set()).add(id_)
        for name in {name for s, _, o in said for name in (s, o)}:
            mentions[id_, name] = sum(name in (s, o) for s, _, o in said)
    phrases = sorted({name for _, name in mentions})
    synonyms = {}
    if phrases:
        vectors = embedder.embed(phrases).astype(np.float64)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = unit @ unit.T
        for i, j in np.argwhere(np.triu(cosines >= threshold, k=1)):
            if max(_letters(phrases[i]), _letters(phrases[j])) > 2:
                synonyms[phrases[i], phrases[j]] = float(cosines[i, j])
    return Content(
        passages={id_: p.passage.text for id_, p in final.items()},
        phrases=frozenset(phrases),
        facts={fact: frozenset(ids) for fact, ids in facts.items()},
        mentions=mentions,
        synonyms=synonyms,
    )


def assert_same(found: Content, expected: Content) -> None:
    """Equal but for the last bits of a cosine."""
    assert found.passages == expected.passages
    assert found.phrases == expected.phrases
    assert found.facts == expected.facts
    assert found.mentions == expected.mentions
    assert set(found.synonyms) == set(expected.synonyms)
    for pair, score in expected.synonyms.items():
        assert abs(found.synonyms[pair] - score) < 1e-5, pair


def edges_of(
    content: Content, rule: ProjectionWeights, fact_weight: float = 2.0, synonym_weight: float = 2.0
) -> list[tuple[str, str, float]]:
    """Undirected edges between phrases.

    `sum`: one per fact and one per synonym. `paper`, by the rules of the official code: for each direction the number
    of statements of all facts between the two, which a synonym replaces unless its first phrase is too short to look
    for one; self-loops are left out, and both directions are added up.
    """
    edges = []
    if rule == "sum":
        edges += [(s, o, fact_weight * len(ids)) for (s, _, o), ids in content.facts.items()]
        edges += [(a, b, synonym_weight * score) for (a, b), score in content.synonyms.items()]
        return edges
    directed: dict[tuple[str, str], float] = {}
    for (s, _, o), ids in content.facts.items():
        if s != o:
            directed[s, o] = directed.get((s, o), 0.0) + fact_weight / 2 * len(ids)
            directed[o, s] = directed.get((o, s), 0.0) + fact_weight / 2 * len(ids)
    for (a, b), score in content.synonyms.items():
        if _letters(a) > 2:
            directed[a, b] = synonym_weight / 2 * score
        if _letters(b) > 2:
            directed[b, a] = synonym_weight / 2 * score
    return [(a, b, weight) for (a, b), weight in directed.items()]


def page_rank(
    content: Content, edges: Sequence[tuple[str, str, float]], seeds: Mapping[str, float], damping: float = 0.5
) -> dict[str, float]:
    """Personalized PageRank by igraph (prpack); sums to 1."""
    names = sorted(content.phrases)
    position = {name: i for i, name in enumerate(names)}
    graph = igraph.Graph(n=len(names), edges=[(position[a], position[b]) for a, b, _ in edges])
    scores = graph.personalized_pagerank(
        directed=False,
        damping=damping,
        reset=[seeds.get(name, 0.0) for name in names],
        weights=[weight for _, _, weight in edges],
        implementation="prpack",
    )
    return dict(zip(names, scores, strict=True))


def link(content: Content, entities: Iterable[str], embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> set[str]:
    """The phrase nearest to each entity, an equal name first."""
    names = sorted(content.phrases)
    vectors = embed(names).astype(np.float64)
    linked = set()
    for entity in entities:
        vector = embed([entity])[0].astype(np.float64)
        cosines = [_cosine(vector, row) for row in vectors]
        linked.add(entity if entity in content.phrases else names[int(np.argmax(cosines))])
    return linked


def specificity(content: Content, phrases: Iterable[str]) -> dict[str, float]:
    """Restart weights: 1 / passages, scaled to sum to 1."""
    weights = {name: 1 / sum(name == mentioned for _, mentioned in content.mentions) for name in phrases}
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def passage_scores(content: Content, scores: Mapping[str, float]) -> dict[str, float]:
    """HippoRAG 1: the sum over a passage's phrases of count x PageRank."""
    found: dict[str, float] = {}
    for (id_, name), count in content.mentions.items():
        found[id_] = found.get(id_, 0.0) + count * scores[name]
    return found


def _letters(phrase: str) -> int:
    return len(phrase.replace(" ", ""))


def _cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
