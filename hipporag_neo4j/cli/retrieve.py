"""`retrieve`: ask a question, see the passages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.filters import WhereOption, filter_line, filter_values, parse_where
from hipporag_neo4j.cli.idle_options import check_graph, check_retrieve
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, NoCache, make_settings
from hipporag_neo4j.cli.progress import waiting
from hipporag_neo4j.notices import search_notices

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Fact, Look, Mode, RankedPassage, RetrievalResult, Seed
    from hipporag_neo4j.facade.searching import Searching
    from hipporag_neo4j.settings import Settings

ModeOption = Annotated[
    ModeName,
    typer.Option(
        help="hybrid: a walk over the graph from the things the question names and the facts that a language model "
        "finds to bear on it. hipporag1: from the things alone. hipporag2: from the facts alone. dense: nearest "
        "vectors. bm25: shared words.",
    ),
]
Entities = Annotated[
    list[str] | None,
    typer.Option(
        "--entity",
        "-e",
        metavar="NAME",
        help="A thing the question names, where the walk starts; give it once for each. Without it the language model "
        "(HIPPORAG_LLM_MODEL) finds them.",
    ),
]

Limit = Annotated[int, typer.Option("--limit", "-k", min=1, max=10_000, help="How many passages.")]
Looks = Annotated[
    int,
    typer.Option(
        "--looks", min=1, max=3, help="How often hybrid looks for facts; each look costs a call and finds more."
    ),
]
NoLLM = Annotated[
    bool, typer.Option("--no-llm", help="Ask no language model, in mode hybrid; finds less than with one.")
]
GraphFileOption = Annotated[
    Path | None,
    typer.Option(
        "--graph",
        metavar="FILE",
        help="Search a graph that you have already, of which a file says what it holds (docs/existing_graph.md).",
    ),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="With --graph: project it anew, though no count has changed.")]


def retrieve(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask, in quotes.")],
    mode: ModeOption = ModeName.hybrid,  # type: ignore[attr-defined]  # made from a list
    limit: Limit = 10,
    entity: Entities = None,
    looks: Looks = 1,
    no_llm: NoLLM = False,
    where: WhereOption = None,
    namespace: Namespace = None,
    graph: GraphFileOption = None,
    refresh: Refresh = False,
    full: Annotated[bool, typer.Option("--full", help="Show whole passages, not their beginnings.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show how long each stage took.")] = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Find the passages that answer a question, best first.

    Scores compare within one answer only.
    """
    check_retrieve(context, str(mode), looks=looks, no_llm=no_llm, named=bool(entity), as_json=as_json)
    check_graph(context, existing=graph is not None)
    conditions = parse_where(where)
    settings = make_settings(namespace=namespace, llm_cache=False if no_cache else None)
    with open_graph(settings, graph, refresh=refresh) as rag, waiting("Searching"):
        result = rag.retrieve(
            question,
            mode=cast("Mode", str(mode)),
            limit=limit,
            entities=entity,
            looks=looks,
            no_llm=no_llm,
            where=conditions,
        )
    if as_json:
        output.print_json({**place_values(settings, graph), **result_values(result)})
        for notice in search_notices(result):
            output.warn(notice)
        return
    _show(output.stdout(), result, full=full, verbose=verbose)


@contextmanager
def open_graph(settings: "Settings", graph: Path | None, *, refresh: bool) -> "Iterator[Searching]":
    """The namespace's graph, or the one of others that the file tells of."""
    if graph is None:
        from hipporag_neo4j.hipporag import HippoRAG

        with HippoRAG(settings) as rag:
            yield rag
        return
    from hipporag_neo4j.facade.existing import ExistingGraph

    with ExistingGraph(graph, settings) as existing:
        if refresh:
            existing.refresh()
        yield existing


def place_values(settings: "Settings", graph: Path | None) -> dict[str, str]:
    """Where it was searched, as plain values."""
    return {"namespace": settings.namespace} if graph is None else {"graph": str(graph)}


def result_values(result: "RetrievalResult") -> dict[str, Any]:
    """An answer as plain values."""
    return {
        "question": result.question,
        "mode": result.mode,
        "no_llm": result.no_llm,
        "way": result.way,
        "fallback": result.fallback,
        "stale": result.stale,
        "version": result.version,
        "filter": filter_values(result.allowed),
        "entities": list(result.entities),
        "seeds": [_seed_values(seed) for seed in result.seeds],
        "looks": [_look_values(look) for look in result.looks],
        "passages": [
            {"rank": rank, **_passage_values(passage)} for rank, passage in enumerate(result.passages, start=1)
        ],
        "prompt_tokens": result.prompt_tokens,
        "completion_tokens": result.completion_tokens,
        "answers_from_cache": result.from_cache,
        "timings_ms": {stage: round(milliseconds, 3) for stage, milliseconds in result.timings.items()},
    }


def seeds_line(seeds: "tuple[Seed, ...]") -> Text:
    """Where the walk started, with each seed's share."""
    line = Text("Walk from ")
    for position, seed in enumerate(seeds):
        line.append(", " if position else "")
        line.append(output.clean(seed.phrase), style="bold")
        line.append(f" {seed.weight:.0%}", style="dim")
        if seed.entity is not None and seed.similarity < 0.9995:  # another phrase than the one that was named
            line.append(f" (nearest to {output.clean(seed.entity)!r}, cosine {seed.similarity:.2f})", style="dim")
    passages = 1 - sum(seed.weight for seed in seeds)  # they aren't listed
    if passages >= 0.005:
        line.append(", passages like the question")
        line.append(f" {passages:.0%}", style="dim")
    return line


def _look_line(number: int, look: "Look") -> Text:
    """How many facts a look showed, and those it kept."""
    kept = "; ".join(output.clean(f"{fact.subject} {fact.predicate} {fact.object}") for fact in look.kept) or "none"
    unknown = f", {look.unknown} unknown numbers" if look.unknown else ""
    return Text(f"Look {number}: {len(look.kept)} of {len(look.shown)} facts kept{unknown}: {kept}", style="dim")


def _seed_values(seed: "Seed") -> dict[str, Any]:
    return {
        "phrase": seed.phrase,
        "weight": seed.weight,
        "entity": seed.entity,
        "similarity": seed.similarity,
        "facts": [_fact_values(fact) for fact in seed.facts],
    }


def _look_values(look: "Look") -> dict[str, Any]:
    return {
        "shown": [_fact_values(fact) for fact in look.shown],
        "kept": [_fact_values(fact) for fact in look.kept],
        "dropped": [_fact_values(fact) for fact in look.dropped],
        "unknown_numbers": look.unknown,
        "problem": look.problem,
        "truncated": look.truncated,
    }


def _fact_values(fact: "Fact") -> dict[str, Any]:
    return {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object, "score": fact.score}


def _passage_values(passage: "RankedPassage") -> dict[str, Any]:
    return {
        "id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "score": passage.score,
        "metadata": dict(passage.metadata),
        "row": passage.row,
    }


def _show(console: Console, result: "RetrievalResult", *, full: bool, verbose: bool) -> None:
    for notice in search_notices(result):
        console.print(Text(output.clean(notice), style="bold yellow"))
    if result.no_llm and result.looks:
        console.print(
            Text("No language model was asked: facts are kept by their nearness to the question alone.", style="yellow")
        )
    if result.allowed is not None and result.allowed.passages:
        console.print(Text(output.clean(filter_line(result.allowed)), style="dim"))
    for number, look in enumerate(result.looks, start=1):
        console.print(_look_line(number, look))
    if result.seeds:
        console.print(seeds_line(result.seeds))
    if not result.passages:
        console.print("Nothing found.")
    if result.passages and (result.seeds or result.fallback):
        console.print()
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for rank, passage in enumerate(result.passages, start=1):
        heading = Text(output.clean(passage.title or passage.id), style="bold")
        text = output.clean(passage.text) if full else output.snippet(passage.text)
        table.add_row(str(rank), f"{passage.score:#.3g}", heading)
        table.add_row("", "", Padding(Text(text), (0, 0, 0 if rank == len(result.passages) else 1, 0)))
    console.print(table)
    if result.prompt_tokens or result.completion_tokens:
        spent = f"{result.prompt_tokens:,} tokens read, {result.completion_tokens:,} written by the language model."
        console.print(Text(f"\n{spent}", style="dim"))
    if result.from_cache:
        kept = output.plural(result.from_cache, "answer")
        console.print(Text(f"\n{kept} of the language model from cache.", style="dim"))
    if verbose:
        times = ", ".join(f"{stage} {milliseconds:.0f}" for stage, milliseconds in result.timings.items())
        console.print(Text(f"\nMilliseconds: {times}", style="dim"))
