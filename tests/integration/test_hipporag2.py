"""Modes `hipporag2` and `hybrid` on the real server: by hand, against igraph and NumPy, and with a scripted model."""

import json
from collections.abc import Iterator, Sequence

import neo4j
import numpy as np
import pytest
from numpy.typing import NDArray

from hipporag_neo4j.domain import Mode, RetrievalResult
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.evaluation.variants import no_passage_nodes
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.retrieval.filter_facts import FactFilter, Triplet, Verdict
from hipporag_neo4j.retrieval.retrieve import options_of
from hipporag_neo4j.settings import ProjectionWeights, Settings
from tests.both_clients import BOTH
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, Content, edges_of, keep_all, page_rank, passage, read_content, write
from tests.llm_server import LLMServer
from tests.servers import TestServer

EMBEDDER = HashEmbedder(DIMENSIONS)
PARITY = {"iterations": 100, "tolerance": 1e-12}
CHAIN = [
    passage("1", ("brindle observatory", "founded by", "edda lorne"), title="Brindle Observatory"),
    passage("2", ("edda lorne", "studied under", "otto vann"), title="Edda Lorne"),
    passage("3", ("otto vann", "born in", "vessland"), ("vessland", "borders", "kord"), title="Otto Vann"),
    passage("4", ("edda lornes", "discovered", "comet odgaard"), title="Comet Odgaard"),
    passage("5", ("lake mirr", "lies in", "kord"), ("lake mirr", "holds", "brown trout"), title="Lake Mirr"),
]
QUESTION = "Where was the teacher of the founder of brindle observatory born?"


def keep(*wanted: Triplet) -> FactFilter:
    """A filter that keeps these facts alone."""

    def decide(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
        return Verdict(tuple(i for i, fact in enumerate(facts) if fact in wanted))

    return decide


def opened(settings: Settings, **changes: object) -> HippoRAG:
    return HippoRAG(settings.model_copy(update=changes), embedder=EMBEDDER)


@pytest.fixture(params=BOTH)
def rag(request: pytest.FixtureRequest, settings: Settings) -> Iterator[HippoRAG]:
    """The chain from an observatory to its founder's teacher."""
    with request.param(settings, embedder=EMBEDDER) as made:
        write(made, CHAIN)
        yield made


def ids(result: RetrievalResult) -> list[str]:
    return [p.id for p in result.passages]


@pytest.mark.parametrize("rule", ["sum", "paper"])
@pytest.mark.parametrize("mention_weight", [1.0, 3.0])
def test_the_ranking_is_that_of_igraph(
    rule: ProjectionWeights, mention_weight: float, settings: Settings, driver: neo4j.Driver, server: TestServer
) -> None:
    with opened(settings, projection_weights=rule, mention_weight=mention_weight, **PARITY) as rag:
        write(rag, CHAIN)
        content = read_content(driver, server, settings.namespace)
        result = rag.retrieve(QUESTION, mode="hipporag2", fact_filter=keep_all)
    scores, phrase_seeds = _expected(content, rule, mention_weight)
    assert {seed.phrase: seed.weight for seed in result.seeds} == pytest.approx(phrase_seeds, abs=1e-6)
    assert ids(result) == sorted(scores, key=lambda id_: (-scores[id_], id_))
    found = {p.id: p.score for p in result.passages}
    share = sum(found.values()) / sum(scores.values())
    assert found == pytest.approx({id_: score * share for id_, score in scores.items()}, abs=1e-7)


def _expected(content: Content, rule: ProjectionWeights, mention: float) -> tuple[dict[str, float], dict[str, float]]:
    """Passage scores and phrase seeds by the definitions of the paper: five facts, five phrases, 0.05."""

    def cosines(texts: list[str]) -> NDArray[np.float64]:
        (question,) = EMBEDDER.embed([QUESTION]).astype(np.float64)
        return np.asarray(EMBEDDER.embed(texts).astype(np.float64) @ question)

    def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((values - values.min()) / (values.max() - values.min()))

    facts = sorted(content.facts)
    near = dict(zip(facts, scaled(cosines([str(fact) for fact in facts])), strict=True))
    shares: dict[str, list[float]] = {}
    for s, p, o in sorted(facts, key=lambda fact: -near[fact])[:5]:
        for name in (s, o):
            shares.setdefault(name, []).append(near[s, p, o] / sum(name == m for _, m in content.mentions))
    means = {name: float(np.mean(values)) for name, values in shares.items()}
    phrases = {name: means[name] for name in sorted(means, key=lambda name: (-means[name], name))[:5]}
    titles = {str(p.passage.id): p.passage.title for p in CHAIN}
    names = sorted(content.passages)
    dense = scaled(cosines([f"{titles[id_]}\n{content.passages[id_]}" for id_ in names]))
    seeds = phrases | {f"passage {id_}": 0.05 * float(score) for id_, score in zip(names, dense, strict=True)}
    total = sum(seeds.values())
    whole = Content(content.passages, content.phrases | {f"passage {id_}" for id_ in names}, {}, {}, {})
    edges = edges_of(content, rule) + [(f"passage {id_}", name, mention) for id_, name in content.mentions]
    scores = page_rank(whole, edges, {name: weight / total for name, weight in seeds.items()})
    return {id_: scores[f"passage {id_}"] for id_ in names}, {name: w / total for name, w in phrases.items()}


@pytest.mark.parametrize("passage_seeds", [0, 3])
def test_fewer_passages_are_the_first_of_more(passage_seeds: int, settings: Settings) -> None:
    """What a small limit leaves out unseen would not have ranked."""
    with opened(settings, hipporag2_passage_seeds=passage_seeds, hipporag2_passage_weight=1.0) as rag:
        write(rag, CHAIN)
        every = rag.retrieve(QUESTION, mode="hipporag2", limit=50, fact_filter=keep_all).passages
        for limit in range(1, len(CHAIN)):
            assert rag.retrieve(QUESTION, mode="hipporag2", limit=limit, fact_filter=keep_all).passages == every[:limit]
    assert len(every) == len(CHAIN)


def test_passages_that_hold_what_their_seed_keeps_are_in_order_of_id(settings: Settings) -> None:
    """Three passages without facts, equal and nearest: nothing flows to them or from them."""
    alone = [passage(id_, text="An old lighthouse.") for id_ in ("c", "a", "b")]
    with opened(settings) as rag:
        write(rag, [*alone, passage("d", ("x", "y", "z"), text="Quite another matter.")])
        result = rag.retrieve("An old lighthouse.", mode="hipporag2", limit=3, fact_filter=keep_all)
        ranked = rag.retrieve("An old lighthouse.", mode="hipporag2", limit=2, fact_filter=keep_all)
    assert ids(result) == ["d", "a", "b"]
    assert ids(ranked) == ["d", "a"]
    # Two phrases of one passage weigh 1 each, three passages .05 each, and half of a seed stays where it is.
    assert [p.score for p in result.passages[1:]] == pytest.approx([0.05 / 2.15 / 2] * 2)


def test_nothing_kept_means_dense_search_that_says_so(rag: HippoRAG) -> None:
    result = rag.retrieve(QUESTION, mode="hipporag2", fact_filter=keep())
    assert result.fallback == "No fact bears on the question; dense search answered."
    assert result.passages == rag.retrieve(QUESTION, mode="dense").passages
    assert (len(result.looks[0].shown), result.looks[0].kept) == (5, ())
    hybrid = rag.retrieve(QUESTION, mode="hybrid", entities=["nobody"], fact_filter=keep())
    assert "no phrase is 'nobody'" in (hybrid.fallback or "")


def test_an_entity_alone_still_walks(rag: HippoRAG) -> None:
    result = rag.retrieve("?", mode="hybrid", entities=["Otto Vann!"], fact_filter=keep())
    assert not result.fell_back
    assert [(seed.phrase, seed.entity) for seed in result.seeds] == [("otto vann", "Otto Vann!")]
    assert set(ids(result)[:2]) == {"2", "3"}


@pytest.mark.parametrize(("mode", "shown"), [("hipporag2", 5), ("hybrid", 7)])
def test_candidates_are_the_nearest_first(mode: str, shown: int, rag: HippoRAG) -> None:
    result = rag.retrieve(QUESTION, mode=mode, entities=[], fact_filter=keep_all)  # type: ignore[arg-type]
    scores = [fact.score for fact in result.looks[0].shown]
    assert len(scores) == shown
    assert scores == sorted(scores, reverse=True)


def test_further_looks_show_what_was_not_shown_and_reach_further(settings: Settings) -> None:
    """One candidate at first; each look then shows facts around what the look before kept."""
    steps = keep(
        ("brindle observatory", "founded by", "edda lorne"),
        ("edda lorne", "studied under", "otto vann"),
        ("otto vann", "born in", "vessland"),
    )
    changes = {"hybrid_facts": 1, "further_facts": 2, "second_look_phrase_facts": 2, "third_look_phrase_facts": 2}
    with opened(settings, further_passages=0, **changes) as rag:
        write(rag, CHAIN)
        kept = []
        for looks in (1, 2, 3):
            result = rag.retrieve(QUESTION, mode="hybrid", entities=[], looks=looks, fact_filter=steps)
            shown = [fact for look in result.looks for fact in look.shown]
            assert len(shown) == len(set(shown))
            assert len(result.looks) == looks
            kept.append([fact.object for look in result.looks for fact in look.kept])
        assert kept == [["edda lorne"], ["edda lorne", "otto vann"], ["edda lorne", "otto vann", "vessland"]]
        assert "vessland" in {seed.phrase for seed in result.seeds}
        # The fact of the synonym "edda lornes" is shown too, and dropped.
        assert "comet odgaard" in {fact.object for fact in result.looks[1].dropped}


def test_looks_end_when_nothing_new_can_be_shown(rag: HippoRAG) -> None:
    result = rag.retrieve(QUESTION, mode="hybrid", entities=[], looks=3, fact_filter=keep_all)
    assert len(result.looks) == 1
    assert len(result.looks[0].shown) == 7


def test_equal_passages_and_a_single_fact_give_no_nan(settings: Settings) -> None:
    with opened(settings) as rag:
        write(rag, [passage(id_, ("a", "r", "b"), text="The same.") for id_ in ("1", "2", "3")])
        result = rag.retrieve("?", mode="hipporag2", fact_filter=keep_all)
    assert ids(result) == ["1", "2", "3"]
    assert len({p.score for p in result.passages}) == 1
    assert all(0 < p.score < 1 for p in result.passages)


@pytest.mark.parametrize("mode", ["hipporag2", "hybrid"])
def test_a_fact_kept_that_is_the_farthest_of_all_weighs_nothing_and_the_result_says_so(
    mode: Mode, settings: Settings
) -> None:
    def keep_last(question: str, facts: Sequence[Triplet], known: Sequence[Triplet]) -> Verdict:
        return Verdict((len(facts) - 1,))

    with opened(settings, hipporag2_facts=7) as rag:
        write(rag, CHAIN)
        result = rag.retrieve(QUESTION, mode=mode, entities=[], fact_filter=keep_last)
    (look,) = result.looks
    assert (len(look.shown), look.kept) == (7, look.shown[-1:])
    assert "they weigh nothing; dense search answered" in (result.fallback or "")
    assert len(result.passages) == 5


def test_a_walk_that_reaches_no_passage_is_told(settings: Settings) -> None:
    with opened(settings, minimum=0.999) as rag:
        write(rag, CHAIN)
        named = rag.retrieve(QUESTION, mode="hipporag1", entities=["Otto Vann"])
        options = no_passage_nodes(options_of(rag.settings))
        by_facts = rag.retrieve(QUESTION, mode="hipporag2", fact_filter=keep_all, options=options)
    for result in (named, by_facts):
        assert "HIPPORAG_MINIMUM is too high; dense search answered" in (result.fallback or "")
        assert len(result.passages) == 5


def test_one_call_gives_facts_and_entities(settings: Settings, llm_server: LLMServer) -> None:
    with opened(settings, llm_model="scripted", openai_base_url=llm_server.url) as rag:
        write(rag, CHAIN)
        llm_server.script = [json.dumps({"relevant_facts": [1, 99, "x"], "named_entities": ["Otto Vann"]})]
        result = rag.retrieve(QUESTION, mode="hybrid")
    assert len(llm_server.requests) == 1
    assert result.entities == ("Otto Vann",)
    (look,) = result.looks
    assert (look.kept, look.unknown, look.problem) == (look.shown[:1], 2, None)
    assert {"otto vann", look.shown[0].subject} <= {seed.phrase for seed in result.seeds}


def test_an_unusable_answer_is_asked_for_again_and_then_named(settings: Settings, llm_server: LLMServer) -> None:
    with opened(settings, llm_model="scripted", openai_base_url=llm_server.url) as rag:
        write(rag, CHAIN)
        llm_server.script = ["I can't help with that.", ""]
        result = rag.retrieve(QUESTION, mode="hipporag2")
    (look,) = result.looks
    assert look.kept == look.shown
    assert "could not be filtered" in (look.problem or "")
    assert "asked twice" in (look.problem or "")
    assert not result.fell_back


def test_without_a_model_nothing_is_answered(settings: Settings) -> None:
    with opened(settings) as rag:
        write(rag, CHAIN)
        for mode in ("hipporag2", "hybrid"):
            with pytest.raises(ConfigurationError, match="HIPPORAG_LLM_MODEL"):
                rag.retrieve(QUESTION, mode=mode, entities=["Otto Vann"])
