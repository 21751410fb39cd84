"""The walk and the statements around it beside igraph, on the graph of the questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hipporag_neo4j import HippoRAG, Settings
from hipporag_neo4j.database import Database
from scripts._bench.common import (
    DATA,
    NAMESPACE,
    WARM_UP,
    AsJson,
    Concurrency,
    DataFolder,
    Iterations,
    Questions,
    Tolerance,
    import_questions_graph,
    milliseconds,
    note,
    percentile,
    print_json,
    spread,
    with_server,
)
from scripts._bench.recorded import Sent, Walking, read_cases, record
from scripts._bench.yardstick import Yardstick

PARITY = {"iterations": 100, "tolerance": 1e-16}
"""GDS passes on no change below the tolerance, so its error is up to tolerance x nodes."""
_WALK = ("graph", "namespace", "damping", "iterations", "tolerance", "concurrency")
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Step:
    """Another way to rank: another statement, other parameters, or only the heaviest `passages` as seeds."""

    name: str
    statement: str | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    passages: int | None = None

    def change(self, sent: Sent) -> Sent:
        """The ranking in this way."""
        parameters = {**sent.parameters, **dict(self.parameters)}
        if self.passages is not None:
            parameters |= _heaviest(sent.parameters, self.passages)
        return Sent(self.statement or sent.statement, parameters)


_AS_SHIPPED = Step("as shipped")
STEPS = (
    Step("every node looked up", "bench/rank_every_node"),
    Step("15 iterations", parameters=(("iterations", 15),)),
    Step("10 iterations", parameters=(("iterations", 10),)),
    Step("tolerance 1e-6", parameters=(("tolerance", 1e-6),)),
    Step("tolerance 1e-5", parameters=(("tolerance", 1e-5),)),
    Step("100 passage seeds", passages=100),
    Step("50 passage seeds", passages=50),
    Step("no passage seeds", passages=0),
)


def pagerank(
    data: DataFolder = DATA,
    mode: Annotated[Walking, typer.Option(help="Whose seeds and statements.")] = "hipporag1",
    iterations: Iterations = None,
    tolerance: Tolerance = None,
    concurrency: Concurrency = 1,
    questions: Questions = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Also rank with fewer rows, iterations and seeds; not for hipporag1.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The walk, the statements and igraph on the graph of the questions, p50 and p95 over those that walk."""
    if steps and mode == "hipporag1":
        raise typer.BadParameter("there are no steps for hipporag1; take --mode hybrid or hipporag2")
    settings = with_server(Settings(namespace=NAMESPACE, normalisation="paper"))
    given = {"iterations": iterations, "tolerance": tolerance}
    settings = settings.model_copy(update={name: value for name, value in given.items() if value is not None})
    with HippoRAG(settings) as rag:
        import_questions_graph(rag, data)
        cases = read_cases(data, questions)
        runs = [_with_threads(run, concurrency) for run in record(rag, mode, cases)]
        yardstick = Yardstick(rag.database, walk_of(runs[0][-1]))
        largest = max(
            _difference(rag.database, yardstick, run[-1]) for run in track(runs, "Comparing with igraph", console=note)
        )
        ways = (_AS_SHIPPED, *(STEPS if steps else ()))
        same = _count_same(rag.database, runs, ways)
        times, statements, ranked = _measure(rag.database, yardstick, runs, ways)
    figures: dict[str, Any] = {
        "mode": mode,
        "questions": len(cases),
        "walked": len(runs),
        "nodes": len(yardstick.keys),
        "edges": yardstick.edges,
        "max_difference": largest,
        "same_top_10": same[_AS_SHIPPED.name] + len(cases) - len(runs),
        "iterations": settings.iterations,
        "tolerance": settings.tolerance,
        "concurrency": concurrency,
    }
    for name, values in times.items():
        figures |= {f"{name}_p50_ms": percentile(values, 50), f"{name}_p95_ms": percentile(values, 95)}
    for name in ("statement", "after_llm", "statements"):
        figures[f"{name}_to_igraph"] = round(figures[f"{name}_p50_ms"] / figures["igraph_p50_ms"], 2)
    figures["statements_ms"] = {name: spread(values) for name, values in statements.items()}
    if steps:
        figures["steps"] = {
            name: {
                **spread(values),
                "to_igraph": round(percentile(values, 50) / figures["igraph_p50_ms"], 2),
                "same_top_10": same[name] + len(cases) - len(runs),
            }
            for name, values in ranked.items()
        }
    print_json(figures) if as_json else _show(figures)


def walk_of(ranking: Sent) -> dict[str, Any]:
    """The walk of a ranking statement: its projection, seeds and parameters."""
    given = ranking.parameters
    phrases = given["phrases"] if "phrases" in given else given["seeds"]
    return {**{name: given[name] for name in _WALK}, "phrases": phrases, "passages": given.get("passages", [])}


def _with_threads(run: Sequence[Sent], concurrency: int) -> list[Sent]:
    *before, ranking = run
    return [*before, Sent(ranking.statement, {**ranking.parameters, "concurrency": concurrency})]


def _measure(
    database: Database, yardstick: Yardstick, runs: Sequence[Sequence[Sent]], ways: Sequence[Step]
) -> tuple[Times, Times, Times]:
    """Milliseconds of walks and statements, of each statement, and of each way to rank; all in turn, by question."""
    times: Times = {"gds": [], "statement": [], "after_llm": [], "statements": [], "igraph": []}
    statements: Times = {}
    ranked: Times = {way.name: [] for way in ways}
    for number in track(range(-WARM_UP, len(runs)), "Measuring", console=note):
        run = runs[number]
        walk = walk_of(run[-1])
        restart = yardstick.restart(walk)
        one = {sent.statement: milliseconds(sent.send, database) for sent in run}
        own = {way.name: milliseconds(way.change(run[-1]).send, database) for way in ways}
        measured = {
            "gds": milliseconds(database.run, "bench/time_walk", **walk),
            "statement": one[run[-1].statement],
            "after_llm": sum(one[sent.statement] for sent in run if sent.after_llm),
            "statements": sum(one.values()),
            "igraph": milliseconds(yardstick.scores, restart, walk["damping"]),
        }
        if number < 0:
            continue
        for target, values in ((times, measured), (statements, one), (ranked, own)):
            for name, value in values.items():
                target.setdefault(name, []).append(value)
    return times, statements, ranked


def _count_same(database: Database, runs: Sequence[Sequence[Sent]], ways: Sequence[Step]) -> dict[str, int]:
    """For each way, the questions whose ten best passages are those of parity settings."""
    same = dict.fromkeys((way.name for way in ways), 0)
    for run in track(runs, "Comparing with parity settings", console=note):
        exact = _top(database, Sent(run[-1].statement, {**run[-1].parameters, **_exact(run[-1])}))
        for way in ways:
            same[way.name] += _top(database, way.change(run[-1])) == exact
    return same


def _exact(ranking: Sent) -> dict[str, Any]:
    """Parity settings; HippoRAG 1 counts every phrase."""
    return PARITY | ({"minimum": 0.0} if "minimum" in ranking.parameters else {})


def _top(database: Database, ranking: Sent) -> set[str]:
    return {row["id"] for row in ranking.send(database)}


def _difference(database: Database, yardstick: Yardstick, ranking: Sent) -> float:
    """The largest difference of two scores that sum to 1: parity settings against igraph."""
    walk = {**walk_of(ranking), **PARITY}
    expected = np.array(yardstick.scores(yardstick.restart(walk), walk["damping"]))
    found = np.array(database.run("bench/collect_walk", **walk)[0]["scores"])
    return float(np.abs(found / found.sum() - expected / expected.sum()).max())


def _heaviest(ranking: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The heaviest passages as seeds, all weights scaled to sum to 1 again."""
    passages = sorted(ranking["passages"], key=lambda seed: (-seed["weight"], seed["key"]))[:most]
    total = sum(seed["weight"] for seed in (*ranking["phrases"], *passages))

    def scaled(seeds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{"key": seed["key"], "weight": seed["weight"] / total} for seed in seeds]

    return {"phrases": scaled(ranking["phrases"]), "passages": scaled(passages)}


def _show(figures: Mapping[str, Any]) -> None:
    walked = f"{figures['walked']} of {figures['questions']} questions"
    title = f"{figures['mode']}: {walked} walk over {figures['nodes']:,} nodes"
    table = Table("ms", "p50", "p95", "to igraph", "same top 10", title=title)

    def row(name: str, p50: float, p95: float, same: str = "") -> None:
        table.add_row(name, f"{p50:.1f}", f"{p95:.1f}", f"{p50 / figures['igraph_p50_ms']:.1f}", same)

    names = {
        "igraph": "PageRank, igraph",
        "gds": "PageRank, GDS",
        "statement": "ranking statement",
        "after_llm": "statements after the language model",
        "statements": "all statements",
    }
    for name, shown in names.items():
        row(shown, figures[f"{name}_p50_ms"], figures[f"{name}_p95_ms"])
    for name, times in figures["statements_ms"].items():
        row(f"  {name}", times["p50"], times["p95"])
    for name, step in figures.get("steps", {}).items():
        row(f"ranking, {name}", step["p50"], step["p95"], str(step["same_top_10"]))
    out = Console()
    out.print(table)
    out.print(f"Ranking statement to igraph: {figures['statement_to_igraph']} x (p50).")
    out.print(f"All that is sent after the language model has spoken: {figures['after_llm_to_igraph']} x.")
    out.print(f"Largest difference to igraph at parity settings: {figures['max_difference']:.1e}.")
    dense = figures["questions"] - figures["walked"]
    those = f", {dense} of them answered by dense search" if dense else ""
    out.print(f"Top 10 as at parity settings: {figures['same_top_10']} of {figures['questions']}{those}.")
