"""What an estimate says is near what the run then takes; nobody is asked, and what is kept costs nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.estimate import Estimate
from hipporag_neo4j.indexing.index_report import IndexReport
from tests.integration.test_budget import PASSAGES, PRICES, Open
from tests.llm_server import LLMServer


def figures(found: Estimate) -> tuple[float, float]:
    return found.tokens.prompt, found.tokens.completion


def assert_near(found: Estimate, report: IndexReport, factor: float) -> None:
    for estimated, true in zip(figures(found), (report.prompt_tokens, report.completion_tokens), strict=True):
        assert true / factor <= estimated <= true * factor


def test_after_some_passages_the_rest_is_known_within_a_tenth(
    open_rag: Open, llm_server: LLMServer, tmp_path: Path
) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(PRICES, encoding="utf-8")
    with open_rag(prices=table) as rag:
        rag.index(PASSAGES[:8])
        asked = len(llm_server.requests)
        found = rag.estimate(PASSAGES)
        assert len(llm_server.requests) == asked
        assert (found.comparison.new, found.comparison.unchanged) == (8, 8)
        assert all(call.basis == "measured in this graph, 8 answers" for call in found.calls)
        report = rag.index(PASSAGES)
        assert [call.calls for call in found.calls] == [usage.calls for usage in report.calls]
        assert_near(found, report, 1.1)
        assert found.cost == pytest.approx(report.spent.cost, rel=0.1)
        nothing = rag.estimate(PASSAGES)
    assert (figures(nothing), nothing.cost) == ((0, 0), 0.0)
    assert sum(figure.value for figure in nothing.seconds.values()) == 0


def test_without_a_measure_it_says_so_and_is_no_less_than_what_words_come_to(
    open_rag: Open, llm_server: LLMServer
) -> None:
    """The scripted server counts words, of which no tokenizer makes less than one token."""
    with open_rag() as rag:
        found = rag.estimate(PASSAGES)
        assert not llm_server.requests
        assert all(call.basis.startswith("default") for call in found.calls)
        assert found.cost is None
        assert found.projection.basis == "Graph Data Science's own estimate"
        assert 0 < found.walk.value < found.heap.value
        report = rag.index(PASSAGES)
    assert report.prompt_tokens < found.tokens.prompt < 3 * report.prompt_tokens


def test_kept_answers_and_changed_passages(open_rag: Open, llm_server: LLMServer) -> None:
    with open_rag() as rag:
        rag.index(PASSAGES[:4])
        rag.delete([passage.id or "" for passage in PASSAGES[:2]])
        changed = replace(PASSAGES[2], text="Ada met Zoe in Rome.")
        asked = len(llm_server.requests)
        found = rag.estimate([*PASSAGES[:2], changed, *PASSAGES[3:6]])
        assert len(llm_server.requests) == asked
    compared = found.comparison
    assert (compared.new, compared.changed, compared.unchanged, compared.extracted) == (4, 1, 1, 2)
    assert [call.calls for call in found.calls] == [3, 3]


def test_a_namespace_without_a_graph(open_rag: Open) -> None:
    with open_rag(namespace="test_estimate_nothing_here") as rag:
        found = rag.estimate([Passage("Ada met Bob.")])
        assert found.content.passages == 1
        assert not [graph for graph in rag.graphs() if graph.namespace == rag.namespace]


def test_embedding_at_an_endpoint_is_told_apart(open_rag: Open, llm_server: LLMServer) -> None:
    with open_rag(passage_size=10_000, embedding_provider="openai", embedding_model="text-embedding-3-small") as rag:
        embedding = rag.estimate([Passage("x" * 4842)]).embedding
    assert embedding is not None
    assert embedding.texts == 1 + 86 + 90  # as ten passages of MuSiQue
    assert embedding.tokens == pytest.approx(0.23 * 4842 + 4.2 * 86 + 15.5 * 90)
    assert embedding.cost == pytest.approx(embedding.tokens * 0.02 / 1e6)
    with open_rag() as rag:
        assert rag.estimate([Passage("x")]).embedding is None
