"""A budget stops a run cleanly: nothing is begun that would pass it, what is begun is finished, the next goes on."""

from collections.abc import Callable
from pathlib import Path

import neo4j
import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.indexing.index_report import IndexReport
from tests.graphs import assert_same, read_content
from tests.llm_server import LLMServer, Reply, Request, extract_from_prompt
from tests.servers import TestServer

PASSAGES = [Passage(f"Ada{i} met Bob{i} and Cleo{i % 5} in Paris. " * (1 + i % 4), id=f"p{i}") for i in range(16)]
"""Of four lengths, so that they cost differently."""

PRICES = """
currency = "EUR"
date = 2026-05-04
[models."scripted"]
input = 1000
output = 4000
"""
"""Euro for a million tokens: a passage costs about one."""

Open = Callable[..., HippoRAG]


def slowly(request: Request) -> Reply:
    """The default rule, slow enough that several passages are under way at once."""
    return Reply(extract_from_prompt(request), delay=0.01)


def total(report: IndexReport) -> int:
    return report.prompt_tokens + report.completion_tokens


@pytest.mark.parametrize("concurrency", [1, 8])
def test_tokens_are_never_passed_and_runs_with_new_budgets_make_the_whole_graph(
    concurrency: int, open_rag: Open, llm_server: LLMServer, driver: neo4j.Driver, server: TestServer
) -> None:
    llm_server.respond = slowly
    left = []
    with open_rag(llm_concurrency=concurrency, index_max_tokens=3000) as rag:
        while True:
            report = rag.index(PASSAGES)
            assert total(report) <= 3000
            assert report.written + report.unchanged + report.left == len(PASSAGES)
            assert rag.status().passages == report.written + report.unchanged
            assert not rag.status().interrupted
            if report.stopped is None:
                break
            assert report.stopped == "max_tokens"
            left.append(report.left)
            assert report.written
    assert len(left) >= 2
    assert left == sorted(left, reverse=True)
    assert len(llm_server.chats) == 2 * len(PASSAGES)
    if concurrency > 1:
        assert llm_server.peak_concurrency > 1
    whole = read_content(driver, server, rag.namespace)
    with open_rag(namespace=f"{rag.namespace}_once") as once:
        once.index(PASSAGES)
        assert_same(whole, read_content(driver, server, once.namespace))
        once.drop()


def test_most_of_a_budget_is_used(open_rag: Open, llm_server: LLMServer) -> None:
    llm_server.respond = slowly
    with open_rag(index_max_tokens=6000, llm_concurrency=4) as rag:
        report = rag.index(PASSAGES)
    assert report.stopped == "max_tokens"
    assert 6000 - 2 * 700 < total(report) <= 6000  # a passage takes 450 to 700


def test_money_is_never_passed(open_rag: Open, llm_server: LLMServer, tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(PRICES, encoding="utf-8")
    llm_server.respond = slowly
    with open_rag(index_max_cost=3.5, prices=table, llm_concurrency=4) as rag:
        report = rag.index(PASSAGES)
    assert report.stopped == "max_cost"
    by_hand = (1000 * report.prompt_tokens + 4000 * report.completion_tokens) / 1_000_000
    assert report.spent.cost == pytest.approx(by_hand)
    assert report.spent.currency == "EUR"
    assert 1.5 < by_hand <= 3.5


def test_money_without_a_price_is_refused_before_anything_is_asked(open_rag: Open, llm_server: LLMServer) -> None:
    with open_rag(index_max_cost=1.0) as rag, pytest.raises(ConfigurationError, match="no price of it"):
        rag.index(PASSAGES)
    assert not llm_server.requests


def test_kept_answers_cost_nothing(open_rag: Open, llm_server: LLMServer) -> None:
    with open_rag() as rag:
        rag.index(PASSAGES[:6])
        rag.delete([passage.id or "" for passage in PASSAGES[:6]])
        asked = len(llm_server.chats)
    with open_rag(index_max_tokens=0) as rag:
        report = rag.index(PASSAGES)
    assert (report.written, report.left, total(report), report.from_cache) == (6, 10, 0, 12)
    assert len(llm_server.chats) == asked


def test_nothing_is_deleted_by_a_run_that_stopped(open_rag: Open) -> None:
    long = Passage("Ada met Bob. " * 20, id="long")
    with open_rag(passage_size=100) as rag:
        rag.index([Passage("Old met New.", id="old"), long])
        parts = rag.status().passages
    with open_rag(passage_size=100, index_max_tokens=1) as rag:
        report = rag.index([Passage("Ada met Bob.", id="long"), PASSAGES[0]], prune=True)
        assert (report.stopped, report.written, report.deleted, report.pruned) == ("max_tokens", 0, 0, 0)
        assert rag.status().passages == parts
    with open_rag(passage_size=100) as rag:
        report = rag.index([Passage("Ada met Bob.", id="long"), PASSAGES[0]], prune=True)
        assert (report.stopped, report.written) == (None, 2)
        assert rag.status().passages == 2


def test_failed_passages_are_tried_again_within_a_budget(open_rag: Open, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: "I'd rather not."
    with open_rag() as rag:
        assert rag.index(PASSAGES[:8]).failed == 8
    llm_server.respond = slowly
    with open_rag(index_max_tokens=2500) as rag:
        report = rag.retry_failed()
        assert report.stopped == "max_tokens"
        assert total(report) <= 2500
        assert report.written
        assert rag.status().states == {"failed": report.left, "written": 8 - report.left}


def test_an_endpoint_that_counts_no_tokens_ends_a_run_with_a_budget(open_rag: Open, llm_server: LLMServer) -> None:
    llm_server.respond = lambda request: Reply(extract_from_prompt(request), counts_tokens=False)
    with open_rag(index_max_tokens=100_000, llm_concurrency=2) as rag:
        report = rag.index(PASSAGES)
    assert report.stopped == "uncounted"
    assert report.written + report.left == len(PASSAGES)
    assert report.written <= 4
