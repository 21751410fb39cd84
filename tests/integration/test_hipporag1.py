"""Mode `hipporag1` on the real server: by hand, and against igraph and NumPy."""

from collections.abc import Callable

import neo4j
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hipporag_neo4j.coroutines import finish
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.projection import Run, Weights, ensure_projection
from hipporag_neo4j.retrieval.sources import BlockingSources
from hipporag_neo4j.settings import ProjectionWeights, Settings
from tests.embedders import HashEmbedder
from tests.graphs import (
    DIMENSIONS,
    Fact,
    edges_of,
    link,
    page_rank,
    passage,
    passage_scores,
    read_content,
    specificity,
    write,
)
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
PARITY = {"iterations": 100, "tolerance": 1e-12, "minimum": 0.0}
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
NAMES = (
    "grand river bridge",
    "grand river bridges",
    "the grand river bridge",
    "old mill road",
    "old mill roads",
    "lake",
    "us",
    "us us",
    "",
    "harbour master",
    "tide table",
    "gull",
)
"""Three groups of near names, a short one with a synonym, and the empty phrase, which `paper` normalisation keeps."""
FACTS = st.tuples(st.sampled_from(NAMES), st.sampled_from(("near", "part of", "named after")), st.sampled_from(NAMES))
CORPORA = st.lists(st.lists(FACTS, max_size=6), min_size=1, max_size=8)


def opened(settings: Settings, **changes: object) -> HippoRAG:
    return HippoRAG(settings.model_copy(update=changes), embedder=EMBEDDER)


def test_the_worked_case_of_the_paper(settings: Settings) -> None:
    """Alzheimer's in 20 passages, Stanford in 5: restart .20 and .80."""
    facts: list[Fact] = [("Alzheimer's", "studied by", f"laboratory {i}") for i in range(20)]
    facts += [("Stanford", "employs", f"professor {i}") for i in range(5)]
    with opened(settings) as rag:
        write(rag, [passage(str(i), fact) for i, fact in enumerate(facts)])
        result = rag.retrieve("Which Stanford professor?", mode="hipporag1", entities=["Stanford", "Alzheimer's"])
    assert [seed.phrase for seed in result.seeds] == ["stanford", "alzheimer s"]
    assert [seed.weight for seed in result.seeds] == pytest.approx([0.8, 0.2])
    assert [seed.similarity for seed in result.seeds] == pytest.approx([1, 1])


def test_a_shared_neighbour_holds_twice_what_a_dead_end_holds(
    settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    """Two seeds of degree 9 that share one neighbour: after one step it holds .0556, a dead end .0278.

    What Graph Data Science calls the first iteration places the restart mass, so one step is `iterations=2`; its score
    after n of them is (1 - damping) x the sum over k < n of damping^k W^k seeds. Divided by 1 - damping, one step gives
    seeds + .5 W seeds, of which the second part is the paper's: .5 x (.5 / 9 + .5 / 9).
    """
    ends = {seed: [f"{seed} end {i}" for i in range(8)] for seed in ("north", "south")}
    facts: list[Fact] = [(seed, "leads to", end) for seed in ends for end in [*ends[seed], "shared"]]
    with opened(settings, iterations=2) as rag:
        write(rag, [passage(f"{seed} to {end}", (seed, _, end)) for seed, _, end in facts])
        result = rag.retrieve("What do both lead to?", mode="hipporag1", entities=["north", "south"], limit=18)
        projection = finish(ensure_projection(_run(rag), rag.namespace, Weights()))
    scores = _walk(driver, server, projection.name, {"north": 0.5, "south": 0.5}, iterations=2)
    assert scores["shared"] / 0.5 == pytest.approx(0.0556, abs=5e-5)
    assert scores["north end 0"] / 0.5 == pytest.approx(0.0278, abs=5e-5)
    assert scores["shared"] == pytest.approx(2 * scores["south end 7"])
    # A passage that states a fact scores what both of its phrases hold: .25 for the seed.
    assert {p.id for p in result.passages[:2]} == {"north to shared", "south to shared"}
    assert [p.score for p in result.passages] == pytest.approx([0.25 + 1 / 36] * 2 + [0.25 + 1 / 72] * 16)
    # Equal scores are ordered by id.
    assert [p.id for p in result.passages[2:]] == sorted(p.id for p in result.passages[2:])


@pytest.mark.parametrize("rule", ["sum", "paper"])
@hypothesis_settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing example small takes minutes
    suppress_health_check=SLOW,
)
@given(corpus=CORPORA, data=st.data())
def test_page_rank_and_ranking_are_those_of_igraph(
    rule: ProjectionWeights,
    corpus: list[list[Fact]],
    data: st.DataObject,
    settings: Settings,
    make_namespace: Callable[[], str],
    driver: neo4j.Driver,
    server: TestServer,
) -> None:
    namespace = make_namespace()
    weights = Weights(rule, *data.draw(st.sampled_from([(2.0, 2.0), (1.0, 0.5), (3.0, 1.0)])))
    changes = {
        "namespace": namespace,
        "normalisation": "paper",
        "projection_weights": rule,
        "fact_weight": weights.fact,
        "synonym_weight": weights.synonym,
        **PARITY,
    }
    with opened(settings, **changes) as rag:
        write(rag, [passage(f"p{i}", *facts) for i, facts in enumerate(corpus)])
        content = read_content(driver, server, namespace)
        if not content.phrases:
            return
        edges = edges_of(content, rule, weights.fact, weights.synonym)
        seeds = specificity(content, data.draw(st.sets(st.sampled_from(sorted(content.phrases)), min_size=1)))
        projection = finish(ensure_projection(_run(rag), namespace, weights))
        found = _walk(driver, server, projection.name, seeds, iterations=100)
        expected = page_rank(content, edges, seeds)
        assert set(found) == set(expected)
        total = sum(found.values())
        assert max(abs(found[name] / total - expected[name]) for name in expected) < 1e-9

        entities = data.draw(st.lists(st.sampled_from([name for name in NAMES if name]), min_size=1, max_size=3))
        seeds = specificity(content, link(content, entities, EMBEDDER.embed))
        result = rag.retrieve("Where?", mode="hipporag1", entities=entities, limit=100)
    assert {seed.phrase: seed.weight for seed in result.seeds} == pytest.approx(seeds)
    scores = passage_scores(content, page_rank(content, edges, seeds))
    _assert_ranking([(p.id, p.score) for p in result.passages], scores)


def _assert_ranking(found: list[tuple[str, float]], expected: dict[str, float]) -> None:
    """Every passage that anything reaches, at its score's place; where scores are equal to 1e-9, any order."""
    total, expected_total = sum(score for _, score in found), sum(expected.values())
    reached = {id_: score / expected_total for id_, score in expected.items() if score > 1e-12}
    assert {id_ for id_, _ in found} == set(reached)
    best_first = sorted(reached.values(), reverse=True)
    for place, (id_, score) in enumerate(found):
        assert score / total == pytest.approx(reached[id_], abs=1e-9)
        assert reached[id_] == pytest.approx(best_first[place], abs=1e-9)


def _walk(
    driver: neo4j.Driver, server: TestServer, projection: str, seeds: dict[str, float], *, iterations: int
) -> dict[str, float]:
    """PageRank by phrase over a projection, with parity settings."""
    rows = driver.execute_query(
        "UNWIND keys($seeds) AS name MATCH (phrase:Phrase {name: name}) "
        "WHERE phrase.namespace = split($projection, '.')[1] "
        "WITH collect([phrase, $seeds[name]]) AS sources "
        "CALL gds.pageRank.stream($projection, {sourceNodes: sources, dampingFactor: 0.5, maxIterations: $iterations, "
        "  tolerance: 1e-12, relationshipWeightProperty: 'weight', concurrency: 1}) YIELD nodeId, score "
        "RETURN gds.util.asNode(nodeId).name AS name, score",
        projection=projection,
        seeds=seeds,
        iterations=iterations,
        database_=server.database,
    ).records
    return {row["name"]: row["score"] for row in rows}


def _run(rag: HippoRAG) -> Run:
    return BlockingSources(rag.database, rag.embedder, lambda: None).run
