"""What a run leaves in the graph: a report, signs of life while it goes on, and what all runs have spent."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import neo4j
import pytest

from hipporag_neo4j.errors import InputError, LLMAccessError
from hipporag_neo4j.indexing import record_run
from hipporag_neo4j.prompts import prompts_hash
from hipporag_neo4j.runs import LOST_AFTER, working_runs
from tests.integration.test_budget import PASSAGES, PRICES, Open
from tests.llm_server import LLMServer, Reply, Request, error, extract_from_prompt
from tests.servers import TestServer


def test_a_report_tells_source_model_tokens_money_time_and_versions(
    open_rag: Open, llm_server: LLMServer, tmp_path: Path
) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(PRICES, encoding="utf-8")
    source = tmp_path / "notes.txt"
    source.write_text("Ada met Bob in Paris.", encoding="utf-8")
    with open_rag(prices=table) as rag:
        report = rag.index(source)
        (run,) = rag.runs()
        assert rag.run(report.run).figures == rag.run(report.run[:-3]).figures == run.figures
    assert (run.id, run.kind, run.state) == (report.run, "index", "finished")
    figures = run.figures
    assert (figures["source"], figures["model"], figures["prompts"]) == (str(source), "scripted", prompts_hash())
    assert (figures["passages"], figures["written"], figures["failed"], figures["left"]) == (1, 1, 0, 0)
    assert (figures["prompt_tokens"], figures["completion_tokens"]) == (report.prompt_tokens, report.completion_tokens)
    assert figures["cost"] == pytest.approx((1000 * report.prompt_tokens + 4000 * report.completion_tokens) / 1e6)
    assert (figures["currency"], figures["price_date"]) == ("EUR", "2026-05-04")
    assert figures["version_after"] > figures["version_before"]
    assert figures["peak_memory"] > 10_000_000
    assert [(usage.call, usage.calls, usage.answered) for usage in run.calls] == [("entities", 1, 1), ("triples", 1, 1)]
    assert sum(usage.prompt_tokens for usage in run.calls) == report.prompt_tokens
    assert {"read", "embed", "write", "link", "publish", "total"} <= set(run.seconds)
    assert run.started is not None
    assert run.started <= run.recorded
    assert run.per_minute == pytest.approx(60 / run.seconds["total"])


def test_what_was_spent_is_added_up_over_runs(open_rag: Open, tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(PRICES, encoding="utf-8")
    with open_rag(prices=table) as rag:
        reports = [rag.index(PASSAGES[:2]), rag.index(PASSAGES[:4]), rag.index(PASSAGES[:4])]
    with open_rag() as rag:
        unpriced = rag.index(PASSAGES[:5])
        without, with_price = sorted(rag.spent(), key=lambda spent: spent.runs)
    assert (with_price.model, with_price.runs, with_price.currency) == ("scripted", 2, "EUR")
    assert with_price.prompt_tokens == sum(report.prompt_tokens for report in reports)
    assert with_price.cost == pytest.approx(sum(report.spent.cost or 0.0 for report in reports))
    assert with_price.unpriced_tokens == 0
    assert (without.runs, without.currency, without.cost) == (1, None, 0.0)
    assert without.unpriced_tokens == unpriced.prompt_tokens + unpriced.completion_tokens


def test_a_run_tells_how_far_it_is_while_it_goes_on(
    open_rag: Open, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_run, "BEAT", 0.05)
    go_on = threading.Event()

    def respond(request: Request) -> Reply:
        if len(llm_server.chats) > 6:
            go_on.wait(10)
        return Reply(extract_from_prompt(request))

    llm_server.respond = respond
    with open_rag(llm_concurrency=1) as rag, open_rag() as other:
        rag.init()
        thread = threading.Thread(target=rag.index, args=(PASSAGES[:5],))
        thread.start()
        try:
            _wait_for(lambda: bool(other.runs()))
            _wait_for(lambda: sum(usage.calls for usage in other.runs()[0].calls) == 6)
            (run,) = other.runs()
            assert run.state == "running"
            assert run.silent < LOST_AFTER
            assert [(usage.call, usage.calls) for usage in run.calls] == [("entities", 3), ("triples", 3)]
        finally:
            go_on.set()
            thread.join()
        assert other.runs()[0].state == "finished"


def test_a_run_that_is_not_heard_of_is_lost(open_rag: Open, driver: neo4j.Driver, server: TestServer) -> None:
    with open_rag() as rag:
        rag.index(PASSAGES[:1])
        for silent, state in ((LOST_AFTER - 30, "running"), (LOST_AFTER + 30, "lost")):
            driver.execute_query(
                "MATCH (run:HippoRun {namespace: $n}) "
                "SET run.state = 'running', run.recorded = datetime() - duration({seconds: $silent})",
                n=rag.namespace,
                silent=silent,
                database_=server.database,
            )
            assert rag.runs()[0].state == state


def test_a_run_that_breaks_off_and_one_that_stops(open_rag: Open, llm_server: LLMServer) -> None:
    with open_rag(index_max_tokens=0) as rag:
        rag.index(PASSAGES[:3])
        llm_server.script = [error(401)]
    with open_rag() as rag:
        with pytest.raises(LLMAccessError):
            rag.index(PASSAGES[:3])
        broken, stopped = rag.runs()
    assert (broken.state, stopped.state) == ("broken off", "stopped")
    assert (stopped.figures["stopped"], stopped.figures["left"]) == ("max_tokens", 3)


def test_runs_that_cost_nothing_are_forgotten_beyond_the_latest(
    open_rag: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_run, "_KEPT", 2)
    with open_rag() as rag:
        paid = rag.index(PASSAGES[:1]).run
        for_nothing = [rag.index(PASSAGES[:1]).run for _ in range(4)]
        assert {run.id for run in rag.runs()} == {paid, *for_nothing[-2:]}


def test_runs_that_did_nothing_are_no_measure(open_rag: Open) -> None:
    with open_rag() as rag:
        asked = rag.index(PASSAGES[:1]).run
        rag.delete([PASSAGES[0].id or ""])
        kept = rag.index(PASSAGES[:1]).run
        rag.index(PASSAGES[:1])
        assert len(rag.runs()) == 4
        assert [run.id for run in working_runs(rag.database, rag.namespace)] == [kept, asked]


def test_a_run_is_found_by_its_beginning_if_that_is_clear(open_rag: Open) -> None:
    with open_rag() as rag:
        rag.index(PASSAGES[:1])
        rag.delete([PASSAGES[0].id or ""])
        assert [run.kind for run in rag.runs()] == ["delete", "index"]
        with pytest.raises(InputError, match="remembers no run 'x'"):
            rag.run("x")
        with pytest.raises(InputError, match="Several runs"):
            rag.run("2")
        assert [run.kind for run in rag.runs(1)] == ["delete"]
        with pytest.raises(InputError, match="The limit is -1; take 0 to"):
            rag.runs(-1)


def _wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline, "didn't happen"
        time.sleep(0.02)
