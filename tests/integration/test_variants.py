"""The variants of the modes on a small graph: each ranking as igraph, or plain arithmetic, gives it."""

from collections.abc import Iterator, Mapping

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.domain import RetrievalResult
from hipporag_neo4j.evaluation import Decision, Decisions, GoldPassage, Question, find_gold, run
from hipporag_neo4j.evaluation.variants import VARIANTS, find_variant
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.retrieval.retrieve import options_of
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import (
    DIMENSIONS,
    Content,
    edges_of,
    keep_all,
    page_rank,
    passage,
    passage_scores,
    read_content,
    specificity,
    write,
)
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
PASSAGES = [
    passage("1", ("brindle observatory", "founded by", "edda lorne"), title="Brindle Observatory"),
    passage("2", ("edda lorne", "studied under", "otto vann"), title="Edda Lorne"),
    passage("3", ("otto vann", "born in", "vessland"), ("vessland", "borders", "kord"), title="Otto Vann"),
    passage("4", ("edda lornes", "discovered", "comet odgaard"), title="Comet Odgaard"),
    passage("5", ("lake mirr", "lies in", "kord"), ("lake mirr", "holds", "brown trout"), title="Lake Mirr"),
]
QUESTION = "Where was the teacher of the founder of brindle observatory born?"
ENTITIES = ("edda lorne", "kord", "lake mirr")
Scores = Mapping[str, float]


@pytest.fixture(scope="module")
def rag(module_settings: Settings) -> Iterator[HippoRAG]:
    """The small graph, walked to the end."""
    settings = module_settings.model_copy(update={"iterations": 100, "tolerance": 1e-12, "minimum": 0.0})
    with HippoRAG(settings, embedder=EMBEDDER) as made:
        write(made, PASSAGES)
        yield made


@pytest.fixture(scope="module")
def content(rag: HippoRAG, driver: neo4j.Driver, server: TestServer) -> Content:
    return read_content(driver, server, rag.namespace)


def ask(rag: HippoRAG, name: str) -> RetrievalResult:
    retrieve = find_variant(name).entry(rag.retrieve, options_of(rag.settings)).retrieve
    assert retrieve is not None
    mode = find_variant(name).mode
    return retrieve(QUESTION, mode=mode, limit=10, entities=ENTITIES, looks=1, fact_filter=keep_all)


def assert_ranked(result: RetrievalResult, expected: Scores) -> None:
    """The passages that anything reaches, in order; scores up to a common factor."""
    reached = {id_: score for id_, score in expected.items() if score > 0}
    assert [p.id for p in result.passages] == sorted(reached, key=lambda id_: (-round(reached[id_], 9), id_))
    share = sum(p.score for p in result.passages) / sum(reached.values())
    assert {p.id: p.score for p in result.passages} == pytest.approx(
        {id_: score * share for id_, score in reached.items()}, abs=1e-7
    )


def cosines(texts: list[str]) -> NDArray[np.float64]:
    (question,) = EMBEDDER.embed([QUESTION]).astype(np.float64)
    return np.asarray(EMBEDDER.embed(texts).astype(np.float64) @ question)


def mentioned(content: Content, phrase: str) -> int:
    return sum(phrase == name for _, name in content.mentions)


def near_phrases(content: Content) -> list[str]:
    """The five phrases nearest to the question."""
    names = sorted(content.phrases)
    return [names[i] for i in np.argsort(-cosines(names))[:5]]


def fact_phrases(content: Content) -> Scores:
    """The phrases of the five facts nearest to the question, weighed as in HippoRAG 2; not scaled."""
    facts = sorted(content.facts)
    found = cosines([str(fact) for fact in facts])
    near = dict(zip(facts, (found - found.min()) / (found.max() - found.min()), strict=True))
    shares: dict[str, list[float]] = {}
    for s, p, o in sorted(facts, key=lambda fact: -near[fact])[:5]:
        for name in (s, o):
            shares.setdefault(name, []).append(near[s, p, o] / mentioned(content, name))
    means = {name: float(np.mean(values)) for name, values in shares.items()}
    return {name: means[name] for name in sorted(means, key=lambda name: (-means[name], name))[:5]}


def by_phrases(content: Content, seeds: Scores, *, synonym_weight: float = 2.0) -> Scores:
    """Ranked as in HippoRAG 1."""
    edges = [edge for edge in edges_of(content, "sum", synonym_weight=synonym_weight) if edge[2] > 0]
    return passage_scores(content, page_rank(content, edges, seeds))


def by_passages(content: Content, phrases: Scores) -> Scores:
    """Ranked as in HippoRAG 2: all passages are seeds too, the nearest weighs 0.05."""
    names = sorted(content.passages)
    titles = {str(p.passage.id): p.passage.title for p in PASSAGES}
    dense = cosines([f"{titles[id_]}\n{content.passages[id_]}" for id_ in names])
    dense = (dense - dense.min()) / (dense.max() - dense.min())
    seeds = dict(phrases) | {f"passage {id_}": 0.05 * float(score) for id_, score in zip(names, dense, strict=True)}
    total = sum(seeds.values())
    whole = Content(content.passages, content.phrases | {f"passage {id_}" for id_ in names}, {}, {}, {})
    edges = edges_of(content, "sum") + [(f"passage {id_}", name, 1.0) for id_, name in content.mentions]
    scores = page_rank(whole, edges, {name: weight / total for name, weight in seeds.items()})
    return {id_: scores[f"passage {id_}"] for id_ in names}


def test_seeds_only(rag: HippoRAG, content: Content) -> None:
    """edda lorne and kord, in two passages each, weigh half of lake mirr, which two facts of its one passage hold."""
    result = ask(rag, "hipporag1/seeds-only")
    assert {p.id: p.score for p in result.passages} == pytest.approx({"1": 0.25, "2": 0.25, "3": 0.25, "5": 1.25})
    assert_ranked(result, passage_scores(content, dict.fromkeys(content.phrases, 0) | specificity(content, ENTITIES)))


def test_seeds_and_neighbours(rag: HippoRAG, content: Content) -> None:
    seeds = specificity(content, ENTITIES)
    edges = edges_of(content, "sum")
    scores = {name: 0.5 * seeds.get(name, 0.0) for name in content.phrases}
    for name, weight in seeds.items():
        around = [(a if b == name else b, w) for a, b, w in edges if name in (a, b)]
        for other, w in around:
            scores[other] += 0.5 * 0.5 * weight * w / sum(edge for _, edge in around)
    result = ask(rag, "hipporag1/seeds-and-neighbours")
    assert_ranked(result, passage_scores(content, scores))
    assert "4" in {p.id for p in result.passages}  # by the synonym, one step away


def test_no_specificity(rag: HippoRAG, content: Content) -> None:
    result = ask(rag, "hipporag1/no-specificity")
    assert [seed.weight for seed in result.seeds] == pytest.approx([1 / 3] * 3)
    assert_ranked(result, by_phrases(content, dict.fromkeys(ENTITIES, 1 / 3)))


def test_no_synonyms(rag: HippoRAG, content: Content) -> None:
    assert content.synonyms
    result = ask(rag, "hipporag1/no-synonyms")
    assert_ranked(result, by_phrases(content, specificity(content, ENTITIES), synonym_weight=0.0))
    assert "4" not in {p.id for p in result.passages}


def test_query_to_node(rag: HippoRAG, content: Content) -> None:
    near = near_phrases(content)
    result = ask(rag, "hipporag1/query-to-node")
    assert {seed.phrase for seed in result.seeds} == set(near)
    assert {seed.entity for seed in result.seeds} == {None}
    assert_ranked(result, by_phrases(content, specificity(content, near)))


def test_ner_to_node_with_passages(rag: HippoRAG, content: Content) -> None:
    result = ask(rag, "hipporag2/ner-to-node")
    assert result.entities == ENTITIES
    assert_ranked(result, by_passages(content, {name: 1 / mentioned(content, name) for name in ENTITIES}))


def test_query_to_node_with_passages(rag: HippoRAG, content: Content) -> None:
    near = near_phrases(content)
    result = ask(rag, "hipporag2/query-to-node")
    assert_ranked(result, by_passages(content, {name: 1 / mentioned(content, name) for name in near}))


def test_no_passage_nodes(rag: HippoRAG, content: Content) -> None:
    phrases = fact_phrases(content)
    total = sum(phrases.values())
    result = ask(rag, "hipporag2/no-passage-nodes")
    assert_ranked(result, by_phrases(content, {name: weight / total for name, weight in phrases.items()}))


def test_no_filter_keeps_all_and_asks_nobody(rag: HippoRAG, content: Content) -> None:
    options = options_of(rag.settings)
    retrieve = find_variant("hipporag2/no-filter").entry(rag.retrieve, options).retrieve
    assert retrieve is not None
    result = retrieve(QUESTION, mode="hipporag2", limit=10, entities=None, looks=1, fact_filter=None)
    assert (len(result.looks[0].kept), result.looks[0].dropped) == (5, ())
    assert_ranked(result, by_passages(content, fact_phrases(content)))


def test_without_a_language_model_recorded_decisions_do_not_count(rag: HippoRAG) -> None:
    result = ask(rag, "hybrid/no-llm")
    assert result.no_llm
    assert result.entities == ("brindle observatory",)
    assert result.passages == rag.retrieve(QUESTION, no_llm=True).passages


def test_all_stand_in_one_table(rag: HippoRAG) -> None:
    """One run over the same graph and decisions; what nobody saw isn't complained of where nobody decides."""
    question = Question("q", QUESTION, (GoldPassage(id="3"),))
    recorded = Decisions(
        {
            QUESTION: Decision(
                QUESTION,
                named_entities=ENTITIES,
                candidate_facts=(("edda lorne", "studied under", "otto vann"),),
                relevant_facts=(("edda lorne", "studied under", "otto vann"),),
            )
        }
    )
    options = options_of(rag.settings)
    entries = [variant.entry(rag.retrieve, options) for variant in VARIANTS.values()]
    done = run(
        rag.retrieve,
        lambda asked: find_gold(rag.database, rag.namespace, asked),
        [question],
        entries,
        decisions=recorded,
    )
    assert list(done.modes) == list(VARIANTS)
    complained_of = {warning.split(":")[0] for warning in done.warnings if "in no recorded look" in warning}
    assert complained_of == {"hipporag2/no-passage-nodes"}
