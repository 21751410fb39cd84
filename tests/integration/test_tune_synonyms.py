"""Another synonym threshold: what it would join and find, and the change itself, which equals a graph made with it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.database import Transaction
from hipporag_neo4j.domain import ExtractedPassage
from hipporag_neo4j.errors import (
    ConfigurationError,
    DatabaseError,
    GraphMismatchError,
    GraphNotFoundError,
    InputError,
    NoLanguageModelError,
    TooManySynonymsError,
)
from hipporag_neo4j.evaluation import Decision, Decisions, GoldPassage, Question
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing import link_synonyms, relink_synonyms
from hipporag_neo4j.indexing.link_synonyms import read_phrases
from hipporag_neo4j.indexing.pipeline import Indexer
from hipporag_neo4j.projection import Shape, Weights, ensure_projection, ensure_projection_with_pairs
from hipporag_neo4j.schema import Graph, open_graph
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Content, assert_same, expected_content, passage, read_content, write
from tests.servers import TestServer

PASSAGES = [
    passage("bridges", ("ada", "lives by", "grand river bridges")),
    passage("builder", ("grand river bridge", "was built by", "bob")),
    passage("mill", ("cleo", "owns", "old mill")),
    passage("town", ("mill town", "is home of", "dora"), ("old mills", "stand near", "harbour")),
    passage("harbours", ("emil", "paints", "harbours")),
]
"""Cosines: bridge and bridges .93, mill and mills .86, harbour and harbours .82, old mill and mill town .43."""
LATER = passage("later", ("the grand river bridge", "leads to", "old mill town"))
QUESTIONS = [
    Question("1", "Who built what Ada lives by?", (GoldPassage(id="builder"),), entities=("ada",)),
    Question("2", "Who is at home where Cleo owns something?", (GoldPassage(id="town"),), entities=("cleo",)),
]
"""The first is answered through a synonym of .93, the second through one of .86."""


@pytest.fixture
def rag(settings: Settings) -> Iterator[HippoRAG]:
    """A graph at the default threshold, .8."""
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as opened:
        write(opened, PASSAGES)
        yield opened


@pytest.fixture
def content(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> Callable[[], Content]:
    """What the graph holds now."""
    return lambda: read_content(driver, server, rag.namespace)


def expected(passages: Sequence[ExtractedPassage], threshold: float) -> Content:
    return expected_content(passages, HashEmbedder(DIMENSIONS), normalisation="unicode", threshold=threshold)


@pytest.mark.parametrize("rows", [1, 5000])
def test_the_change_gives_the_graph_that_a_run_with_that_threshold_makes(
    rows: int, rag: HippoRAG, content: Callable[[], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relink_synonyms, "_ROWS", rows)
    before = len(content().synonyms)
    for threshold in (0.9, 0.4, 0.84, 0.999, 0.3, 0.8):
        done = rag.set_synonym_threshold(threshold)
        now = content()
        assert_same(now, expected(PASSAGES, threshold))
        assert done.threshold == threshold
        assert done.pairs == len(now.synonyms) == before + done.added - done.removed
        assert done.published
        before = done.pairs
        status = rag.status()
        assert status.graph.synonym_threshold == threshold
        assert not status.interrupted


def test_later_runs_link_with_the_new_threshold_and_refuse_another(
    rag: HippoRAG, content: Callable[[], Content], settings: Settings
) -> None:
    rag.set_synonym_threshold(0.4)
    write(rag, [LATER])
    assert_same(content(), expected([*PASSAGES, LATER], 0.4))
    old = settings.model_copy(update={"synonym_threshold": 0.8})
    with (
        HippoRAG(old, embedder=HashEmbedder(DIMENSIONS)) as other,
        pytest.raises(GraphMismatchError, match=r"synonyms from 0\.4 on.*tune-synonyms --apply 0\.8"),
    ):
        write(other, [LATER])


def test_only_synonyms_are_written_and_only_those_that_differ(
    rag: HippoRAG, driver: neo4j.Driver, server: TestServer
) -> None:
    def elements(statement: str) -> list[str]:
        rows = driver.execute_query(statement, namespace=rag.namespace, database_=server.database).records
        return sorted(row[0] for row in rows)

    nodes = "MATCH (n:Phrase|Passage {namespace: $namespace}) RETURN elementId(n)"
    others = "MATCH (:Phrase|Passage {namespace: $namespace})-[r:RELATES|MENTIONS]->() RETURN elementId(r)"
    synonyms = "MATCH (:Phrase {namespace: $namespace})-[r:SYNONYM]->() RETURN elementId(r)"
    before = [elements(nodes), elements(others)]
    kept = set(elements(synonyms))
    done = rag.set_synonym_threshold(0.84)
    assert [elements(nodes), elements(others)] == before
    assert set(elements(synonyms)) < kept
    assert done.added == 0
    version = open_graph(rag.database, rag.namespace).version
    again = rag.set_synonym_threshold(0.84)
    assert (again.added, again.removed) == (0, 0)
    assert open_graph(rag.database, rag.namespace).version == version


def test_readers_see_the_change_at_once(rag: HippoRAG) -> None:
    def found() -> set[str]:
        return {p.id for p in rag.retrieve("?", mode="hipporag1", entities=["ada"]).passages}

    assert found() == {"bridges", "builder"}
    rag.set_synonym_threshold(0.95)
    assert found() == {"bridges"}
    rag.set_synonym_threshold(0.9)
    assert found() == {"bridges", "builder"}


def test_an_interruption_changes_nothing_and_the_same_again_does(
    rag: HippoRAG, content: Callable[[], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, graph = content(), open_graph(rag.database, rag.namespace)
    real = Transaction.run

    def stopped(self: Transaction, query: str, **parameters: Any) -> object:
        if query == "indexing/merge_synonyms":
            raise KeyboardInterrupt
        return real(self, query, **parameters)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "run", stopped)
        with pytest.raises(KeyboardInterrupt):
            rag.set_synonym_threshold(0.4)
    assert content() == before
    assert open_graph(rag.database, rag.namespace) == graph
    rag.set_synonym_threshold(0.4)
    assert_same(content(), expected(PASSAGES, 0.4))


def test_a_large_change_may_take_longer_than_other_statements(
    rag: HippoRAG, settings: Settings, content: Callable[[], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server looks every two seconds for what takes too long."""
    real = Transaction.run

    def slow(self: Transaction, query: str, **parameters: Any) -> object:
        if query == "indexing/merge_synonyms":
            time.sleep(4.5)
        return real(self, query, **parameters)

    monkeypatch.setattr(Transaction, "run", slow)
    with HippoRAG(settings.model_copy(update={"query_timeout": 2.0}), embedder=rag.embedder) as other:
        other.set_synonym_threshold(0.4)
    assert_same(content(), expected(PASSAGES, 0.4))


def test_a_writer_in_between_makes_it_look_again(
    rag: HippoRAG, content: Callable[[], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = iter([LATER])
    real = link_synonyms.find_pairs

    def interrupted(*args: object, **kwargs: object) -> object:
        for one in writes:
            write(rag, [one])
            break
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(relink_synonyms, "find_pairs", interrupted)
    rag.set_synonym_threshold(0.4)
    assert_same(content(), expected([*PASSAGES, LATER], 0.4))


def test_writers_that_never_stop_are_named_and_nothing_is_changed(
    rag: HippoRAG, content: Callable[[], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = iter(range(100))
    real = link_synonyms.find_pairs

    def interrupted(*args: object, **kwargs: object) -> object:
        write(rag, [passage("other", ("zoe", "counts to", f"{next(number)} thousand"))])
        return real(*args, **kwargs)  # type: ignore[arg-type]

    synonyms = content().synonyms
    monkeypatch.setattr(relink_synonyms, "find_pairs", interrupted)
    with pytest.raises(DatabaseError, match="was written to while its synonyms were looked for, 3 times"):
        rag.set_synonym_threshold(0.84)
    assert content().synonyms == synonyms
    assert open_graph(rag.database, rag.namespace).synonym_threshold == 0.8


def test_a_run_that_began_before_the_change_links_with_the_new_threshold(
    rag: HippoRAG, content: Callable[[], Content]
) -> None:
    outdated = open_graph(rag.database, rag.namespace)
    rag.set_synonym_threshold(0.4)
    Indexer(rag.database, outdated, rag.embedder).import_extracted([LATER])
    assert_same(content(), expected([*PASSAGES, LATER], 0.4))


def test_a_threshold_that_joins_too_many_is_refused_and_can_be_put_right(
    settings: Settings, driver: neo4j.Driver, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way out of a run that stopped before it joined everything: see what others would join, take one, go on."""
    monkeypatch.setattr(link_synonyms, "_ALWAYS_SANE", 3)
    monkeypatch.setattr(link_synonyms, "_SANE_PAIRS_PER_PHRASE", 0)
    low = settings.model_copy(update={"synonym_threshold": 0.3})
    with HippoRAG(low, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(TooManySynonymsError, match="tune-synonyms"):
            write(rag, PASSAGES)
        tuning = rag.tune_synonyms([0.3, 0.4, 0.9])
        assert [(c.threshold, c.pairs) for c in tuning.candidates] == [(0.3, None), (0.4, None), (0.9, 1)]
        assert tuning.unlinked == 12
        assert "under way or was cut off" in tuning.notes[0]
        with pytest.raises(ConfigurationError, match="Recall can't be measured"):
            rag.tune_synonyms([0.9], questions=QUESTIONS, modes=["hipporag1"])
        with pytest.raises(TooManySynonymsError, match="Nothing was joined"):
            rag.set_synonym_threshold(0.4)
        done = rag.set_synonym_threshold(0.9)
        assert (done.pairs, done.published) == (1, False)
        assert rag.status().unlinked == 0
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        write(rag, PASSAGES)
        assert not rag.status().interrupted
    assert_same(read_content(driver, server, settings.namespace), expected(PASSAGES, 0.9))


def test_thresholds_are_counted_as_they_would_be_joined_and_nothing_is_written(
    rag: HippoRAG, content: Callable[[], Content]
) -> None:
    before, graph = content(), open_graph(rag.database, rag.namespace)
    tuning = rag.tune_synonyms([0.4, 0.8, 0.84, 0.9], samples=2)
    assert [c.pairs for c in tuning.candidates] == [
        len(expected(PASSAGES, c.threshold).synonyms) for c in tuning.candidates
    ]
    # .82 harbour-harbours, .86 mill-mills, .93 bridge-bridges
    assert [(c.pairs, c.phrases_joined, c.largest_component) for c in tuning.candidates[1:]] == [
        (3, 6, 2),
        (2, 4, 2),
        (1, 2, 2),
    ]
    at = tuning.candidates[2]
    assert [(pair.first, pair.second) for pair in at.above] == [
        ("old mill", "old mills"),
        ("grand river bridge", "grand river bridges"),
    ]
    assert (at.below[0].first, at.below[0].second) == ("harbour", "harbours")
    assert tuning.phrases == len(before.phrases)
    assert (tuning.notes, dict(tuning.recall)) == ((), {})
    assert content() == before
    assert open_graph(rag.database, rag.namespace) == graph


class NoEmbedder(HashEmbedder):
    """Must not be asked."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fails."""
        raise AssertionError(f"embedded again: {texts}")


@pytest.mark.usefixtures("rag")
def test_nothing_is_embedded_again(settings: Settings) -> None:
    with HippoRAG(settings, embedder=NoEmbedder(DIMENSIONS)) as other:
        other.tune_synonyms([0.4, 0.9])
        other.set_synonym_threshold(0.4)


def test_recall_by_threshold_without_other_data(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> None:
    """Above the graph's own threshold synonyms are left out of the walk, below it the missing pairs are added."""
    rag.set_synonym_threshold(0.9)
    version = open_graph(rag.database, rag.namespace).version
    tuning = rag.tune_synonyms([0.8, 0.9, 0.95], questions=QUESTIONS, modes=["hipporag1"])
    assert [tuning.recall[t]["hipporag1"].recall[2] for t in (0.8, 0.9, 0.95)] == [1.0, 0.5, 0.0]
    assert open_graph(rag.database, rag.namespace).version == version
    rows = driver.execute_query(
        "CALL gds.graph.list() YIELD graphName WHERE graphName STARTS WITH $prefix RETURN graphName",
        prefix=f"hipporag.{rag.namespace}.",
        database_=server.database,
    ).records
    assert len(rows) == 1  # that of the graph as it is
    rag.set_synonym_threshold(0.8)
    now = rag.tune_synonyms([0.8], questions=QUESTIONS, modes=["hipporag1"])
    assert now.recall[0.8]["hipporag1"].recall == tuning.recall[0.8]["hipporag1"].recall


@pytest.mark.parametrize("shape", ["phrases", "passages"])
@pytest.mark.parametrize("threshold", [0.4, 0.84, 0.9])
def test_a_projection_for_another_threshold_is_that_of_a_graph_with_it(
    threshold: float, shape: Shape, rag: HippoRAG
) -> None:
    run = rag._sources.run
    weights = replace(Weights(), synonym_from=threshold)
    if threshold < 0.8:
        have, want = expected(PASSAGES, 0.8).synonyms, expected(PASSAGES, threshold).synonyms
        phrases = read_phrases(rag.database, rag.init())
        key = dict(zip(phrases.names, phrases.keys, strict=True))
        rows = [
            {"source": key[one], "target": key[other], "score": score}
            for (one, other), score in want.items()
            if (one, other) not in have
        ]
        assert rows
        with pytest.raises(ConfigurationError, match=r"synonyms from 0\.8 on, so none from 0\.4"):
            finish(ensure_projection(run, rag.namespace, weights, shape))
        finish(ensure_projection_with_pairs(run, rag.namespace, weights, shape, rows))
    tried = edges(rag, weights, shape)
    assert tried != edges(rag, Weights(), shape)
    rag.set_synonym_threshold(threshold)
    made = edges(rag, Weights(), shape)
    assert set(tried) == set(made)
    assert [tried[edge] for edge in sorted(tried)] == pytest.approx([made[edge] for edge in sorted(made)], abs=1e-5)


def test_the_paper_rule_leaves_synonyms_out_too(rag: HippoRAG) -> None:
    for shape in ("phrases", "passages"):
        weights = Weights("paper", synonym_from=0.9)
        assert edges(rag, weights, shape) != edges(rag, Weights("paper"), shape)
    with pytest.raises(ConfigurationError, match="Only with the projection weights 'sum'"):
        finish(ensure_projection_with_pairs(rag._sources.run, rag.namespace, Weights("paper"), "phrases", []))


def edges(rag: HippoRAG, weights: Weights, shape: Shape) -> dict[tuple[int, int], float]:
    """Summed weights of a projection by its ends."""
    projection = finish(ensure_projection(rag._sources.run, rag.namespace, weights, shape))
    found: dict[tuple[int, int], float] = {}
    for row in rag.database.run("bench/stream_edges", graph=projection.name):
        ends = row["source"], row["target"]
        found[ends] = found.get(ends, 0.0) + row["weight"]
    return found


def test_recall_under_the_paper_rule_below_the_own_threshold_is_said_to_be_missing(
    rag: HippoRAG, settings: Settings
) -> None:
    paper = settings.model_copy(update={"projection_weights": "paper"})
    with HippoRAG(paper, embedder=rag.embedder) as other:
        tuning = other.tune_synonyms([0.4, 0.95], questions=QUESTIONS, modes=["hipporag1"])
    assert set(tuning.recall) == {0.95}
    assert "Recall at 0.4, below the graph's own threshold, can't be measured" in tuning.notes[0]


def test_hybrid_and_hipporag2_with_recorded_decisions(rag: HippoRAG) -> None:
    fact = ("grand river bridge", "was built by", "bob")
    decisions = Decisions(
        {
            q.question: Decision(question=q.question, named_entities=q.entities, relevant_facts=(fact,))
            for q in QUESTIONS
        }
    )
    tuning = rag.tune_synonyms([0.4, 0.9], questions=QUESTIONS, modes=["hybrid", "hipporag2"], decisions=decisions)
    assert {mode for figures in tuning.recall.values() for mode in figures} == {"hybrid", "hipporag2"}
    for figures in tuning.recall.values():
        assert figures["hybrid"].recall[10] == 1.0


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan"), float("inf")])
def test_what_is_no_threshold_is_refused(threshold: float, rag: HippoRAG) -> None:
    with pytest.raises(InputError, match="is no threshold for a cosine"):
        rag.set_synonym_threshold(threshold)
    with pytest.raises(InputError, match="is no threshold for a cosine"):
        rag.tune_synonyms([0.8, threshold])


def test_what_cannot_be_tried_is_refused(rag: HippoRAG) -> None:
    with pytest.raises(InputError, match="no threshold to try"):
        rag.tune_synonyms([])
    with pytest.raises(InputError, match="101 thresholds are too many"):
        rag.tune_synonyms([0.5 + number / 1000 for number in range(101)])
    with pytest.raises(InputError, match="-1 sample pairs"):
        rag.tune_synonyms([0.8], samples=-1)
    with pytest.raises(ConfigurationError, match="'dense' walks over no synonyms"):
        rag.tune_synonyms([0.8], questions=QUESTIONS, modes=["dense"])
    with pytest.raises(NoLanguageModelError):
        rag.tune_synonyms([0.8], questions=QUESTIONS, modes=["hybrid"])


def test_without_a_graph_and_without_phrases(settings: Settings) -> None:
    with HippoRAG(settings, embedder=HashEmbedder(DIMENSIONS)) as rag:
        with pytest.raises(GraphNotFoundError, match="holds no graph"):
            rag.tune_synonyms([0.8])
        with pytest.raises(GraphNotFoundError, match="holds no graph"):
            rag.set_synonym_threshold(0.8)
        rag.init()
        with pytest.raises(GraphNotFoundError, match="holds no phrase"):
            rag.tune_synonyms([0.8])
        done = rag.set_synonym_threshold(0.9)
        assert (done.before, done.threshold, done.pairs) == (0.8, 0.9, 0)
        graph: Graph = open_graph(rag.database, rag.namespace)
        assert graph.synonym_threshold == 0.9
