"""`hybrid` without a language model on the real server: by hand."""

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.settings import Settings
from tests.embedders import HashEmbedder
from tests.graphs import DIMENSIONS, passage, write
from tests.llm_server import LLMServer

EMBEDDER = HashEmbedder(DIMENSIONS)
QUESTION = "Lake Mirr lies in Kord: what of Vessland?"
NEAREST = ("lake mirr", "lies in", "kord")


def opened(settings: Settings, **changes: object) -> HippoRAG:
    return HippoRAG(settings.model_copy(update=changes), embedder=EMBEDDER)


@pytest.fixture
def written(settings: Settings) -> Settings:
    """Two passages mention kord, one each of the others."""
    with opened(settings) as rag:
        write(
            rag,
            [
                passage("1", ("otto vann", "born in", "vessland"), ("vessland", "borders", "kord")),
                passage("2", NEAREST, ("lake mirr", "holds", "brown trout")),
                passage("3", ("edda lorne", "discovered", "comet odgaard")),
            ],
        )
    return settings


def test_seeds_are_the_ends_of_the_nearest_facts_and_the_phrases_that_are_named(written: Settings) -> None:
    """lake mirr: the fact's score, 1; kord: 1 / 2 passages; vessland: 0.3 / 1 passage; of the named, the larger."""
    with opened(written, no_llm_margin=0.0, no_llm_passage_weight=0.0) as rag:
        result = rag.retrieve(QUESTION, no_llm=True)
    assert result.no_llm
    assert (result.mode, result.fallback) == ("hybrid", None)
    assert result.entities == ("lake mirr", "kord", "vessland")
    assert {seed.phrase: seed.weight for seed in result.seeds} == pytest.approx(
        {"lake mirr": 1 / 1.8, "kord": 0.5 / 1.8, "vessland": 0.3 / 1.8}
    )
    (look,) = result.looks
    assert [(fact.subject, fact.predicate, fact.object) for fact in look.kept] == [NEAREST]
    assert result.passages[0].id == "2"


def test_given_entities_count_in_the_place_of_what_is_found(written: Settings) -> None:
    with opened(written, no_llm_margin=0.0, no_llm_passage_weight=0.0, no_llm_entity_weight=6.0) as rag:
        result = rag.retrieve(QUESTION, no_llm=True, entities=["Comet Odgaard", "nobody"])
    assert result.entities == ("Comet Odgaard", "nobody")
    assert {seed.phrase: seed.weight for seed in result.seeds} == pytest.approx(
        {"comet odgaard": 6 / 7.5, "lake mirr": 1 / 7.5, "kord": 0.5 / 7.5}
    )


def test_the_margin_and_the_passage_weight_can_be_changed(written: Settings) -> None:
    with opened(written, no_llm_margin=2.0) as rag:
        (look,) = rag.retrieve(QUESTION, no_llm=True).looks
    assert look.dropped == ()
    shares = []
    for weight in (0.05, 5.0):
        with opened(written, no_llm_passage_weight=weight) as rag:
            shares.append(sum(seed.weight for seed in rag.retrieve(QUESTION, no_llm=True).seeds))
    assert 1 > shares[0] > shares[1] > 0


def test_the_language_model_that_is_there_is_not_asked(written: Settings, llm_server: LLMServer) -> None:
    with opened(written, llm_model="scripted", openai_base_url=llm_server.url) as rag:
        assert rag.retrieve(QUESTION, no_llm=True).no_llm
        assert not llm_server.requests
        assert not rag.retrieve(QUESTION, mode="dense", no_llm=True).no_llm


def test_what_needs_a_language_model_is_refused(written: Settings) -> None:
    with opened(written) as rag:
        for mode in ("hipporag1", "hipporag2"):
            with pytest.raises(InputError, match=f"Only 'hybrid' can do without a language model, '{mode}' can't"):
                rag.retrieve(QUESTION, mode=mode, no_llm=True)
        with pytest.raises(InputError, match="a further look needs a language model"):
            rag.retrieve(QUESTION, no_llm=True, looks=2)


def test_a_graph_without_facts_falls_back_to_dense_search(settings: Settings) -> None:
    with opened(settings) as rag:
        write(rag, [passage("1", text="Nothing to see."), passage("2", text="Nothing to hear.")])
        result = rag.retrieve("Nothing?", no_llm=True)
    assert "dense search answered" in (result.fallback or "")
    assert len(result.passages) == 2
