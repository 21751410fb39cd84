"""The asynchronous client beside threads, and what an explanation costs beside the search that it explains."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import AsyncHippoRAG, HippoRAG, Settings
from hipporag_neo4j.domain import Mode
from hipporag_neo4j.embedding import Embedder
from hipporag_neo4j.embedding.remembering import RememberingEmbedder
from hipporag_neo4j.text import normalise
from scripts._bench.common import (
    DATA,
    LIMIT,
    NAMESPACE,
    NORMALISATION,
    WARM_UP,
    AsJson,
    DataFolder,
    Questions,
    import_questions_graph,
    milliseconds,
    note,
    print_json,
    spread,
    with_server,
)
from scripts._bench.recorded import Case, read_cases

MODES: tuple[Mode, ...] = ("dense", "hipporag1", "hybrid")
EXPLAINED = 5
"""Passages of a search that is explained, as of the command."""
_BEAT = 0.005


def clients(
    data: DataFolder = DATA,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Questions under way at a time.")] = 8,
    rounds: Annotated[int, typer.Option(min=1, help="How often all questions are asked by each client.")] = 4,
    questions: Questions = None,
    as_json: AsJson = False,
) -> None:
    """Questions a second by AsyncHippoRAG and by threads over HippoRAG, in turn; then explain beside retrieve.

    Question vectors are made before and not counted. Of the loop the longest time is told in which it ran nothing else.
    """
    settings = with_server(Settings(namespace=NAMESPACE, normalisation=NORMALISATION))
    with HippoRAG(settings) as rag:
        import_questions_graph(rag, data)
        cases = read_cases(data, questions)
        embedder = _embedded(rag, cases)
    with HippoRAG(settings, embedder=embedder) as rag:
        rates, gaps = asyncio.run(_race(rag, settings, embedder, cases, at_once, rounds))
        explaining = _explain_all(rag, cases)
    figures = {
        "questions": len(cases),
        "at_once": at_once,
        "modes": {mode: rates[mode] | {"longest_gap_ms": round(gaps[mode], 1)} for mode in MODES},
        "explain": explaining,
    }
    print_json(figures) if as_json else _show(figures)


def _embedded(rag: HippoRAG, cases: Sequence[Case]) -> Embedder:
    """An embedder that has seen all that will be asked of it."""
    embedder = RememberingEmbedder(rag.embedder)
    embedder.embed([case.question.question for case in cases])
    embedder.embed([normalise(entity, NORMALISATION) for case in cases for entity in case.entities])
    return embedder


def _asked(case: Case, mode: Mode, limit: int = LIMIT) -> dict[str, Any]:
    entities = None if mode == "dense" else case.entities
    return {
        "question": case.question.question, "mode": mode, "limit": limit, "entities": entities,
        "fact_filter": case.fact_filter,
    }  # fmt: skip


async def _race(
    rag: HippoRAG, settings: Settings, embedder: Embedder, cases: Sequence[Case], at_once: int, rounds: int
) -> tuple[dict[Mode, dict[str, float]], dict[Mode, float]]:
    """By mode: each client's questions a second and their ratio, median of the rounds; the loop's longest gap, ms."""
    rates: dict[Mode, dict[str, float]] = {}
    gaps: dict[Mode, float] = dict.fromkeys(MODES, 0.0)
    async with AsyncHippoRAG(settings, embedder=embedder) as other:
        with ThreadPoolExecutor(at_once) as threads:
            for mode in track(MODES, "Measuring", console=note):

                def by_threads(some: Sequence[Case], mode: Mode = mode) -> float:
                    began = time.perf_counter()
                    list(threads.map(lambda case: rag.retrieve(**_asked(case, mode)), some))
                    return len(some) / (time.perf_counter() - began)

                async def on_loop(some: Sequence[Case], mode: Mode = mode) -> float:
                    began = time.perf_counter()
                    await _at_most(at_once, [partial(other.retrieve, **_asked(case, mode)) for case in some])
                    return len(some) / (time.perf_counter() - began)

                warm = cases[: max(WARM_UP, at_once)]
                await asyncio.to_thread(by_threads, warm)
                await on_loop(warm)
                measured: list[tuple[float, float]] = []
                for number in range(rounds):
                    if number % 2:
                        of_loop, gap = await _with_gap(on_loop(cases))
                        of_threads = await asyncio.to_thread(by_threads, cases)
                    else:
                        of_threads = await asyncio.to_thread(by_threads, cases)
                        of_loop, gap = await _with_gap(on_loop(cases))
                    measured.append((of_threads, of_loop))
                    gaps[mode] = max(gaps[mode], gap)
                threads_rate, loop_rate = np.median(np.array(measured), axis=0)
                ratio = float(np.median([of_loop / of_threads for of_threads, of_loop in measured]))
                rates[mode] = {
                    "threads_per_second": round(float(threads_rate), 2),
                    "async_per_second": round(float(loop_rate), 2),
                    "ratio": round(ratio, 3),
                }
    return rates, gaps


async def _at_most(number: int, calls: Sequence[Callable[[], Awaitable[object]]]) -> None:
    """Make all calls, so many at a time."""
    waiting = iter(calls)

    async def work() -> None:
        for call in waiting:
            await call()

    await asyncio.gather(*(work() for _ in range(number)))


async def _with_gap(work: Awaitable[float]) -> tuple[float, float]:
    """What the work gives, and the longest time, in milliseconds, in which the loop ran nothing else."""
    gaps = [0.0]

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_BEAT)
            gaps.append(1000 * (time.perf_counter() - began - _BEAT))

    heart = asyncio.ensure_future(beat())
    try:
        return await work, max(gaps)
    finally:
        heart.cancel()


def _explain_all(rag: HippoRAG, cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Milliseconds of a search in mode hybrid and of its explanation, one after the other."""
    searching, explaining = [], []
    for number in track(range(-min(WARM_UP, len(cases)), len(cases)), "Explaining", console=note):
        asked = _asked(cases[number], "hybrid", EXPLAINED)
        begin = time.perf_counter()
        result = rag.retrieve(**asked)
        taken = 1000 * (time.perf_counter() - begin)
        explained = milliseconds(result.explain)
        if number >= 0:
            searching.append(taken)
            explaining.append(explained)
    return {"retrieve_ms": spread(searching), "explain_ms": spread(explaining)}


def _show(figures: Mapping[str, Any]) -> None:
    table = Table(
        "mode", "threads, questions/s", "async", "ratio", "longest gap, ms",
        title=f"{figures['questions']} questions, {figures['at_once']} at a time",
    )  # fmt: skip
    for mode, of in figures["modes"].items():
        table.add_row(
            mode,
            f"{of['threads_per_second']:.1f}",
            f"{of['async_per_second']:.1f}",
            f"{of['ratio']:.2f}",
            f"{of['longest_gap_ms']:.0f}",
        )
    out = Console()
    out.print(table)
    search, explanation = figures["explain"]["retrieve_ms"], figures["explain"]["explain_ms"]
    out.print(
        f"hybrid, {EXPLAINED} passages: retrieve {search['p50']:.0f} ms (p95 {search['p95']:.0f}), "
        f"explain {explanation['p50']:.0f} ms (p95 {explanation['p95']:.0f})."
    )
