"""Every inspection on a graph made by hand, beside another namespace and nodes of others that look the same."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.domain import ExtractedPassage, Extraction, MetadataValue, Passage, Triple
from hipporag_neo4j.errors import GraphNotFoundError, InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.inspection.catalogue import inspections
from hipporag_neo4j.inspection.parameters import Value
from hipporag_neo4j.inspection.paste import literal
from hipporag_neo4j.inspection.plain import Path
from hipporag_neo4j.projection import projection_prefix
from hipporag_neo4j.settings import Settings
from hipporag_neo4j.text import Normalisation, normalise
from tests.graphs import DIMENSIONS, Fact, write
from tests.servers import PREFIX, TestServer, remove_namespace

SIMILAR = {"1 may 1901": ("1 may 1900", 0.9), "rome": ("paris", 0.85)}
"""The only texts that are near another one, with their cosine."""


class PlannedEmbedder:
    """Every text points its own way, but for those in SIMILAR; so all cosines are known."""

    name = "planned"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._axes: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions)."""
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS)

    def _vector(self, text: str) -> NDArray[np.float64]:
        own = np.zeros(DIMENSIONS)
        own[self._axes.setdefault(text, len(self._axes))] = 1.0
        if text not in SIMILAR:
            return own
        other, cosine = SIMILAR[text]
        return float(np.sqrt(1 - cosine**2)) * own + cosine * self._vector(other)


def made(
    id_: str,
    title: str,
    text: str,
    facts: Sequence[Fact] = (),
    *,
    entities: Sequence[str] = (),
    malformed: Sequence[str] = (),
    error: str | None = None,
    metadata: dict[str, MetadataValue] | None = None,
) -> ExtractedPassage:
    """A passage as it was read."""
    read = Extraction(
        entities=tuple(entities), triples=tuple(Triple(*f) for f in facts), malformed=tuple(malformed), error=error
    )
    return ExtractedPassage(Passage(text, id=id_, title=title, metadata=metadata or {}), read)


TEN, FIVE = "one two three four five six seven eight nine", "one two three four"
PASSAGES = (
    made(
        "p1",
        "Ada",
        f"Ada {TEN}",
        [
            ("Ada Lovelace", "taught", "Bob"),
            ("Ada Lovelace", "was born in", "London"),
            ("Ada Lovelace", "died on", "1 May 1900"),
        ],
        entities=["Ada Lovelace", "Bob", "London", "1 May 1900"],
        metadata={"year": 1900, "tags": ["x", "y"]},
    ),
    made(
        "p2",
        "Bob",
        f"Bob {TEN}",
        [("Bob", "was born in", "London"), ("Bob", "died on", "1 May 1901"), ("Bob", "taught", "Ada Lovelace")],
        metadata={"year": 1901},
    ),
    made(
        "p3",
        "Cleo",
        f"Cleo {TEN}",
        [
            ("Cleo", "was born in", "Paris"),
            ("Cleo", "was born in", "Rome"),
            ("Cleo", "is in", "Paris"),
            ("Cleo", "is not in", "Paris"),
            ("Ada Lovelace", "taught", "Bob"),
        ],
        malformed=['["a", "b"]'],
    ),
    made("p4", "Dora", f"Dora {FIVE}", [("Dora", "was born in", "Rome")]),
    made("p5", "Eve", f"Eve {FIVE}", [("Eve", "was born in", "Oslo")]),
    made("p6", "Fritz", f"Fritz {FIVE}", [("Fritz", "was born in", "Oslo")], entities=["Fritz", "C#"]),
    made("p7", "Silence", " ".join(["word"] * 50), entities=["Nobody", "C++"]),
    made("p8", "Broken", "one two three", error="no JSON"),
    made("p9", "Eve again", f"Eve {FIVE}", [("Eve", "was born in", "Oslo")]),
)
NONE_KNOWN: tuple[str, ...] = ("created", "run", "since", "recorded", "seconds", "first", "last")
"""Columns that no test can foretell."""

EXPECTED: list[tuple[str, dict[str, Any], Sequence[object]]] = [
    (
        "phrases-by-name",
        {"text": "1 May"},
        [
            {"phrase": "1 may 1900", "passages": 1, "facts": 1, "synonyms": 1},
            {"phrase": "1 may 1901", "passages": 1, "facts": 1, "synonyms": 1},
        ],
    ),
    (
        "facts-of-phrase",
        {"phrase": "Ada LOVELACE"},
        [
            {
                "subject": "ada lovelace",
                "says": "taught",
                "object": "bob",
                "passages": 2,
                "stated_in": ["Ada", "Cleo"],
            },
            {
                "subject": "ada lovelace",
                "says": "died on",
                "object": "1 may 1900",
                "passages": 1,
                "stated_in": ["Ada"],
            },
            {"subject": "ada lovelace", "says": "was born in", "object": "london", "passages": 1, "stated_in": ["Ada"]},
            {"subject": "bob", "says": "taught", "object": "ada lovelace", "passages": 1, "stated_in": ["Bob"]},
        ],
    ),
    (
        "passages-of-phrase",
        {"phrase": "bob"},
        [
            {"title": "Bob", "facts": 3, "begins": f"Bob {TEN}", "id": "p2"},
            {"title": "Ada", "facts": 1, "begins": f"Ada {TEN}", "id": "p1"},
            {"title": "Cleo", "facts": 1, "begins": f"Cleo {TEN}", "id": "p3"},
        ],
    ),
    (
        "neighbours-of-phrase",  # 2 x 2 passages + 2 x 1 passage to bob; 2 x 0.85 from rome to paris
        {"phrase": "ada lovelace", "limit": 2},
        [
            {"neighbour": "bob", "weight": 6.0, "share": 0.6, "facts": 2, "cosine": None, "passages": 3},
            {"neighbour": "1 may 1900", "weight": 2.0, "share": 0.2, "facts": 1, "cosine": None, "passages": 1},
        ],
    ),
    (
        "neighbours-of-phrase",
        {"phrase": "rome"},
        [
            {"neighbour": "cleo", "weight": 2.0, "share": 0.351, "facts": 1, "cosine": None, "passages": 1},
            {"neighbour": "dora", "weight": 2.0, "share": 0.351, "facts": 1, "cosine": None, "passages": 1},
            {"neighbour": "paris", "weight": 1.7, "share": 0.298, "facts": 0, "cosine": 0.85, "passages": 1},
        ],
    ),
    (
        "nearest-phrases",
        {"phrase": "rome", "limit": 1},
        [{"near": "paris", "cosine": 0.85, "synonym": True, "passages": 1}],
    ),
    (
        "draw-facts-of-phrase",
        {"phrase": "rome"},
        ["rome <-[was born in]- cleo", "rome <-[was born in]- dora", "rome ~ paris"],
    ),
    ("draw-synonyms", {"phrase": "rome"}, ["rome ~ paris"]),
    (
        "passage-details",
        {"passage": "Ada"},
        [
            {
                "title": "Ada",
                "text": f"Ada {TEN}",
                "entities": ["Ada Lovelace", "Bob", "London", "1 May 1900"],
                "facts": 3,
                "phrases": 4,
                "status": "written",
                "id": "p1",
            }
        ],
    ),
    (
        "facts-of-passage",
        {"passage": "p3"},
        [
            {"subject": subject, "says": says, "object": object_, "others": others, "title": "Cleo", "id": "p3"}
            for subject, says, object_, others in (
                ("ada lovelace", "taught", "bob", 1),
                ("cleo", "is in", "paris", 0),
                ("cleo", "is not in", "paris", 0),
                ("cleo", "was born in", "paris", 0),
                ("cleo", "was born in", "rome", 0),
            )
        ],
    ),
    (
        "passages-of-fact",
        {"subject": "Ada Lovelace", "says": "Taught!", "object": "Bob"},
        [
            {"title": "Ada", "text": f"Ada {TEN}", "id": "p1"},
            {"title": "Cleo", "text": f"Cleo {TEN}", "id": "p3"},
        ],
    ),
    (
        "draw-passage",
        {"passage": "p4"},
        [
            "Dora -[mentions 1x]-> dora",
            "Dora -[mentions 1x]-> dora -[was born in]-> rome",
            "Dora -[mentions 1x]-> rome",
        ],
    ),
    (
        "path-between-phrases",
        {"source": "dora", "target": "paris"},
        [
            {"step": 1, "phrase": "dora", "leads": "was born in ->", "to": "rome", "passages": 1},
            {"step": 2, "phrase": "rome", "leads": "~ 0.85 ~", "to": "paris", "passages": None},
        ],
    ),
    (
        "path-between-phrases",
        {"source": "london", "target": "1 may 1900"},
        [
            {"step": 1, "phrase": "london", "leads": "<- was born in", "to": "ada lovelace", "passages": 1},
            {"step": 2, "phrase": "ada lovelace", "leads": "died on ->", "to": "1 may 1900", "passages": 1},
        ],
    ),
    ("path-between-phrases", {"source": "eve", "target": "paris"}, []),
    ("draw-paths-between-phrases", {"source": "dora", "target": "paris"}, ["dora -[was born in]-> rome ~ paris"]),
    (
        "links-between-passages",
        {"passage": "p3", "other": "Dora"},
        [
            {"link": "<- was born in", "in_passage": "rome", "in_other": "dora", "passages": 1},
            {"link": "was born in ->", "in_passage": "cleo", "in_other": "rome", "passages": 1},
            {"link": "~ 0.85 ~", "in_passage": "paris", "in_other": "rome", "passages": 1},
            {"link": "both mention it", "in_passage": "rome", "in_other": "rome", "passages": 2},
        ],
    ),
    (
        "draw-links-between-passages",
        {"passage": "p3", "other": "p4"},
        [
            "Cleo -[mentions 1x]-> rome <-[mentions 1x]- Dora",
            "Cleo -[mentions 4x]-> cleo -[was born in]-> rome <-[mentions 1x]- Dora",
            "Cleo -[mentions 3x]-> paris ~ rome <-[mentions 1x]- Dora",
            "Cleo -[mentions 1x]-> rome <-[was born in]- dora <-[mentions 1x]- Dora",
        ],
    ),
    (
        "passages-of-question",
        {"entities": ["Rome", "London"]},
        [
            {"title": "Cleo", "names": ["rome"], "near": ["london"], "id": "p3"},
            {"title": "Ada", "names": ["london"], "near": [], "id": "p1"},
            {"title": "Bob", "names": ["london"], "near": [], "id": "p2"},
            {"title": "Dora", "names": ["rome"], "near": [], "id": "p4"},
        ],
    ),
    (
        "draw-question",
        {"entities": ["paris", "dora"]},
        [
            "dora -[was born in]-> rome ~ paris",
            "dora -[was born in]-> rome",
            "paris <-[is in]- cleo",
            "paris <-[is not in]- cleo",
            "paris <-[was born in]- cleo",
            "paris ~ rome",
        ],
    ),
    (
        "phrase-hubs",
        {"limit": 3},
        [
            {"phrase": "ada lovelace", "edges": 4, "facts": 4, "synonyms": 0, "passages": 3},
            {"phrase": "bob", "edges": 4, "facts": 4, "synonyms": 0, "passages": 3},
            {"phrase": "cleo", "edges": 4, "facts": 4, "synonyms": 0, "passages": 1},
        ],
    ),
    (
        "synonym-clusters",
        {},
        [{"phrases": 2, "names": ["1 may 1900", "1 may 1901"]}, {"phrases": 2, "names": ["paris", "rome"]}],
    ),
    (
        "frequent-predicates",
        {"limit": 2},
        [
            {
                "says": "was born in",
                "facts": 7,
                "subjects": 6,
                "objects": 4,
                "for_example": "ada lovelace - was born in - london",
            },
            {
                "says": "died on",
                "facts": 2,
                "subjects": 2,
                "objects": 2,
                "for_example": "ada lovelace - died on - 1 may 1900",
            },
        ],
    ),
    (
        "most-stated-facts",
        {"limit": 2},
        [
            {"subject": "ada lovelace", "says": "taught", "object": "bob", "passages": 2},
            {"subject": "eve", "says": "was born in", "object": "oslo", "passages": 2},
        ],
    ),
    (
        "metadata-names",
        {},
        [
            {"name": "tags", "passages": 1, "values": 1, "for_example": "x"},
            {"name": "year", "passages": 2, "values": 2, "for_example": "1900"},
        ],
    ),
    (
        "passages-by-metadata",
        {"name": "year", "value": "1900"},
        [{"title": "Ada", "value": 1900, "facts": 3, "begins": f"Ada {TEN}", "id": "p1"}],
    ),
    (
        "passages-by-metadata",
        {"name": "tags", "value": "y"},
        [{"title": "Ada", "value": ["x", "y"], "facts": 3, "begins": f"Ada {TEN}", "id": "p1"}],
    ),
    (
        "suspicious-synonyms",
        {},
        [
            {"phrase": "paris", "synonym": "rome", "why": "no word alike", "cosine": 0.85, "passages": 3},
            {"phrase": "1 may 1900", "synonym": "1 may 1901", "why": "other numbers", "cosine": 0.9, "passages": 2},
        ],
    ),
    ("merged-spellings", {}, [{"phrase": "c", "spellings": ["C#", "C++"], "passages": 2}]),
    (
        "contradicting-facts",  # 5 of 6 who were born were so in one place
        {},
        [{"subject": "cleo", "says": "was born in", "objects": ["paris", "rome"], "single": 0.833}],
    ),
    ("contradicting-facts", {"share": 0.84}, []),
    (
        "opposed-facts",
        {},
        [
            {"subject": "ada lovelace", "says": "taught", "object": "bob", "against": "bob - taught - ada lovelace"},
            {"subject": "cleo", "says": "is in", "object": "paris", "against": "cleo - is not in - paris"},
        ],
    ),
    ("longest-phrases", {"limit": 1}, [{"phrase": "ada lovelace", "characters": 12, "words": 2, "passages": 3}]),
    (
        "duplicate-texts",
        {},
        [{"begins": f"Eve {FIVE}", "passages": 2, "titles": ["Eve", "Eve again"], "ids": ["p5", "p9"]}],
    ),
    ("orphaned-parts", {}, []),
    (
        "health-measures",
        {},
        [
            {"measure": "passages without facts", "count": 2, "of": 9, "share": 0.2222},
            {"measure": "passages that failed", "count": 1, "of": 9, "share": 0.1111},
            {"measure": "facts stated, of words", "count": 15, "of": 103, "share": 0.1456},
            {"measure": "malformed triples", "count": 1, "of": 16, "share": 0.0625},
            {"measure": "named entities without a fact", "count": 3, "of": 8, "share": 0.375},
            {"measure": "phrases of one passage only", "count": 6, "of": 12, "share": 0.5},
            {"measure": "phrases without a synonym", "count": 8, "of": 12, "share": 0.6667},
            {"measure": "phrases of no passage", "count": 0, "of": 12, "share": 0.0},
        ],
    ),
    (
        "quality-by-run",
        {},
        [
            {
                "model": "small",
                "passages": 9,
                "without_facts": 2,
                "facts": 15,
                "per_100_words": 14.6,
                "malformed": 1,
                "failed": 1,
            }
        ],
    ),
    (
        "passages-without-facts",
        {},
        [
            {
                "title": "Silence",
                "words": 50,
                "entities": 2,
                "status": "written",
                "why": None,
                "begins": "word " * 20,
                "id": "p7",
            },
            {
                "title": "Broken",
                "words": 3,
                "entities": 0,
                "status": "failed",
                "why": "no JSON",
                "begins": "one two three",
                "id": "p8",
            },
        ],
    ),
    (
        "thin-passages",
        {"words": 5, "limit": 2},
        [
            {"title": "Dora", "facts": 1, "words": 5, "per_100_words": 20.0, "id": "p4"},
            {"title": "Eve", "facts": 1, "words": 5, "per_100_words": 20.0, "id": "p5"},
        ],
    ),
    (
        "entities-without-facts",
        {},
        [
            {"entity": "C#", "passages": 1, "for_example": "Fritz"},
            {"entity": "C++", "passages": 1, "for_example": "Silence"},
            {"entity": "Nobody", "passages": 1, "for_example": "Silence"},
        ],
    ),
    (
        "phrases-of-one-passage",
        {"limit": 2},
        [
            {"phrase": "cleo", "facts": 4, "synonyms": 0, "title": "Cleo", "id": "p3"},
            {"phrase": "paris", "facts": 3, "synonyms": 1, "title": "Cleo", "id": "p3"},
        ],
    ),
    (
        "phrases-without-synonyms",
        {"limit": 2},
        [{"phrase": "ada lovelace", "passages": 3, "facts": 4}, {"phrase": "bob", "passages": 3, "facts": 4}],
    ),
    ("failed-passages", {}, [{"title": "Broken", "error": "no JSON", "id": "p8"}]),
    ("malformed-answers", {}, [{"model": "small", "title": "Cleo", "triple": '["a", "b"]', "id": "p3"}]),
    (
        "growth-by-day",
        {},
        [{"day": datetime.now(UTC).date(), "passages": 9, "facts": 13, "facts_per_passage": 1.4}],
    ),
    (
        "run-history",
        {},
        [
            {
                "kind": "index",
                "state": "finished",
                "model": "small",
                "written": 8,
                "unchanged": 0,
                "failed": 1,
                "deleted": 0,
                "synonyms": 2,
                "tokens": 0,
            }
        ],
    ),
    (
        "answers-by-model",
        {},
        [{"model": "small", "asked": "triples", "answers": 1, "prompt_tokens": 7, "completion_tokens": 5}],
    ),
]


@pytest.fixture(scope="module")
def rag(module_settings: Settings, driver: neo4j.Driver, server: TestServer) -> Iterator[HippoRAG]:
    """The graph made by hand; another namespace says more of the same, and nodes of others hang on both."""
    embedder = PlannedEmbedder()
    other = f"{module_settings.namespace}other"
    assert other.startswith(PREFIX)
    more = made("p1", "Ada", "Ada is said to hate London.", [("Ada Lovelace", "hates", "London"), ("Bob", "x", "Rome")])
    with HippoRAG(module_settings, embedder=embedder) as graph:
        try:
            write(graph, PASSAGES)
            with HippoRAG(module_settings, embedder=embedder, namespace=other) as second:
                write(second, [*PASSAGES[1:], more, replace(more, passage=replace(more.passage, id="q", title="Eve"))])
            with driver.session(database=server.database) as session:
                for namespace in (graph.namespace, other):
                    session.run(_FOREIGN, namespace=namespace).consume()
            yield graph
        finally:
            with driver.session(database=server.database) as session:
                session.run("MATCH (n) WHERE n.beside = $beside DETACH DELETE n", beside=graph.namespace).consume()
                session.run("MATCH (n) WHERE n.beside = $beside DETACH DELETE n", beside=other).consume()
            remove_namespace(driver, server.database, other)


_FOREIGN = """
MATCH (ada:Phrase {namespace: $namespace, name: 'ada lovelace'})
MATCH (run:HippoRun {namespace: $namespace})
SET run.model = 'small'
CREATE (:HippoAnswer {namespace: $namespace, key: $namespace, kind: 'triples', model: 'small', prompt_tokens: 7,
                      completion_tokens: 5, created: datetime()})
CREATE (theirs:Phrase {name: 'ada lovelace', beside: $namespace})
CREATE (theirs)-[:RELATES {predicate: 'theirs', passages: ['p1']}]->(ada)
CREATE (theirs)-[:SYNONYM {score: 0.99}]->(ada)
CREATE (:Passage {id: 'p1', title: 'Ada', text: 'Theirs.', beside: $namespace})-[:MENTIONS {count: 9}]->(ada)
CREATE (:Passage {id: 'p4', title: 'Dora', text: 'Theirs.', beside: $namespace})-[:MENTIONS {count: 9}]->(theirs)
"""


@pytest.mark.parametrize(("name", "given", "expected"), EXPECTED, ids=[f"{e[0]}-{i}" for i, e in enumerate(EXPECTED)])
def test_what_it_finds(rag: HippoRAG, name: str, given: dict[str, Any], expected: Sequence[object]) -> None:
    rows = rag.inspect(name, **given)
    if rows and isinstance(rows[0].get("path"), Path):
        assert [str(row["path"]) for row in rows] == expected
    else:
        assert [
            {column: value for column, value in row.items() if column not in NONE_KNOWN} for row in rows
        ] == expected


def test_every_inspection_has_an_expected_answer() -> None:
    assert {name for name, _, _ in EXPECTED} == set(inspections())


def test_columns_that_none_foretells_are_there(rag: HippoRAG) -> None:
    (run,) = rag.inspect("run-history")
    (details,) = rag.inspect("passage_details", passage="p1")
    (quality,) = rag.inspect("quality-by-run")
    assert run["run"] == details["run"] == quality["run"]
    for when in (run["recorded"], details["created"], quality["since"]):
        assert abs((datetime.now(UTC) - when).total_seconds()) < 3600


def test_orphans_are_named(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    # What a delete would leave behind if it forgot the phrase dora, her fact, and the mention of it.
    broken = """
        MATCH (:Passage)-[mention:MENTIONS]->(:Phrase {namespace: $namespace, name: 'dora'})-[fact:RELATES]->()
        DELETE mention SET fact.passages = ['gone']"""
    mended = """
        MATCH (dora:Phrase {namespace: $namespace, name: 'dora'})-[fact:RELATES]->()
        MATCH (p:Passage {namespace: $namespace, id: 'p4'})
        SET fact.passages = ['p4'] CREATE (p)-[:MENTIONS {count: 1}]->(dora)"""
    with driver.session(database=server.database) as session:
        session.run(broken, namespace=rag.namespace).consume()
        try:
            rows = rag.inspect("orphaned-parts")
            health = {measure.name: measure for measure in rag.health().measures}
        finally:
            session.run(mended, namespace=rag.namespace).consume()
    assert [(row["what"], row["found"]) for row in rows] == [
        ("fact", "dora - was born in - rome"),
        ("mention", "Dora - rome"),
        ("phrase", "dora"),
    ]
    orphans = health["phrases of no passage"]
    assert (orphans.count, orphans.verdict, orphans.see) == (1, "repair", "orphaned-parts")
    assert rag.inspect("orphaned-parts") == []


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("facts-of-phrase", {"phrase": "Ada Lovelase"}, r"no phrase 'ada lovelase'.*Near it are 'ada lovelace'"),
        ("facts-of-phrase", {"phrase": "lovelace"}, r"Near it are 'ada lovelace'"),
        ("facts-of-phrase", {"phrase": "'; MATCH (n) DETACH DELETE n //"}, "no phrase 'match n detach delete n'"),
        ("facts-of-phrase", {"phrase": "\x00\n🜁"}, "no phrase ''"),
        ("facts-of-passage", {"passage": "Clio"}, "no passage with the id or title 'Clio'"),
        ("facts-of-passage", {"passage": "ritz"}, "Near it are 'Fritz'"),
        ("passages-of-question", {"entities": ["rome", "athens"]}, "no phrase 'athens'"),
        ("facts-of-phrase", {}, r"facts-of-phrase needs phrase\. It takes phrase .*limit"),
        ("facts-of-phrase", {"phrase": "bob", "namespace": "x"}, "takes no namespace"),
        ("facts-of-phrase", {"phrase": 1}, "phrase is 1. Give a text"),
        ("facts-of-phrase", {"phrase": "bob", "limit": 0}, "limit is 0. Give a whole number from 1"),
        ("passages-of-question", {"entities": "rome"}, "entities is 'rome'. Give a list of texts"),
        ("facts", {}, "no inspection 'facts'. Perhaps"),
    ],
)
def test_what_is_wrong_is_said(rag: HippoRAG, name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rag.inspect(name, **given)


def test_without_a_graph_it_says_so(settings: Settings) -> None:
    with HippoRAG(settings, embedder=PlannedEmbedder()) as empty:
        with pytest.raises(GraphNotFoundError):
            empty.inspect("phrase-hubs")
        with pytest.raises(GraphNotFoundError):
            empty.health()
        empty.init()
        assert empty.inspect("phrase-hubs") == []
        with pytest.raises(GraphNotFoundError, match="no passage to judge"):
            empty.health()


def test_health_of_passages_that_say_nothing(settings: Settings) -> None:
    with HippoRAG(settings, embedder=PlannedEmbedder()) as silent:
        write(silent, [made("p1", "Silence", "One two three.")])
        measures = {measure.name: measure for measure in silent.health().measures}
    assert (measures["passages without facts"].count, measures["passages without facts"].verdict) == (1, "look")
    assert measures["facts stated, of words"].verdict == "look"
    assert "nodes in the largest component" not in measures  # there is nothing to walk over


def test_health_counts_components(rag: HippoRAG) -> None:
    # Passages p1 to p4 with their 9 phrases. Then p5, p6, p9 with eve, oslo and fritz; p7 and p8 alone.
    health = rag.health()
    measures = {measure.name: measure for measure in health.measures}
    component = measures["nodes in the largest component"]
    assert (component.count, component.of, component.verdict) == (13, 21, "look")
    assert measures["passages without facts"].verdict == "look"
    assert measures["facts stated, of words"].verdict == "fine"
    assert measures["passages that failed"].verdict == "repair"
    (run,) = health.runs
    assert (run.passages, run.without_facts, run.per_100_words) == (9, 2, 14.6)
    assert any("little" in note for note in health.notes)
    assert any("fall back" in note for note in health.notes)
    left = rag.database.run("projection/list_projections", prefix=projection_prefix(rag.namespace))
    assert not [row["graph"] for row in left if ".own-" in row["graph"]]


ODD = (
    "Ünïcode", "ﬁne ﬂour", "Straße", "İstanbul", "ΣΊΣΥΦΟΣ", "C++ (1998)", "a  b\tc", "日産リーフ", "Ⅷ²", "naïve-café",
    "५०", "é", "don't", "—", "x\u200by",
)  # fmt: skip
"""Names that normalisation changes in many ways."""


@pytest.mark.parametrize("rule", ["unicode", "paper"])
def test_names_are_normalised_in_cypher_as_in_python(rule: Normalisation, settings: Settings) -> None:
    # Each name is the subject of a fact, so none may count as a name without one; what normalises to nothing is in no
    # fact, or is the empty phrase.
    texts = [name for name in ODD if normalise(name, rule)]
    passages = [
        made(f"p{i}", "", f"Of {name}.", [(name, "is", "thing")], entities=[name, "Other"])
        for i, name in enumerate(texts)
    ]
    with HippoRAG(settings.model_copy(update={"normalisation": rule}), embedder=PlannedEmbedder()) as graph:
        write(graph, passages)
        unused = graph.inspect("entities-without-facts")
        measures = {row["measure"]: row for row in graph.inspect("health-measures")}
    assert [(row["entity"], row["passages"]) for row in unused] == [("Other", len(texts))]
    named = measures["named entities without a fact"]
    assert (named["count"], named["of"]) == (len(texts), 2 * len(texts))


@pytest.mark.parametrize(
    "value", ["it's", "back\\slash", "a\nb\r\t", "\x00\x1f\u2028", "🜁 é", "$x // /* `", ["a'", "b"], 7, 0.25]
)
def test_a_pasted_value_is_the_value(value: Value, driver: neo4j.Driver, server: TestServer) -> None:
    statement: Any = f"RETURN {literal(value)} AS value"
    with driver.session(database=server.database) as session:
        record = session.run(statement).single(strict=True)
    assert record["value"] == value
