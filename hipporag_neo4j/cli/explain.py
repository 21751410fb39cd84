"""`explain`: ask a question, see why each passage was found."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.text import Text
from rich.tree import Tree

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.filters import WhereOption, parse_where
from hipporag_neo4j.cli.idle_options import check_retrieve, refuse_idle
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, NoCache, make_settings
from hipporag_neo4j.cli.progress import waiting
from hipporag_neo4j.cli.retrieve import Entities, Limit, Looks, ModeOption, NoLLM, seeds_line
from hipporag_neo4j.notices import explanation_notices

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Mode, RetrievalResult
    from hipporag_neo4j.explanation import ExplainedPassage, Explanation, Share
    from hipporag_neo4j.explanation import Path as GraphPath
    from hipporag_neo4j.retrieval.filter_facts import FactFilter

_SMALL, _NOTHING = 0.005, 0.0005
"""Shares below the first are told together, and not at all below the second."""
_DROPPED = 10


def explain(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask, in quotes.")],
    mode: ModeOption = ModeName.hybrid,  # type: ignore[attr-defined]  # made from a list
    limit: Limit = 5,
    entity: Entities = None,
    looks: Looks = 1,
    no_llm: NoLLM = False,
    where: WhereOption = None,
    query_decisions: Annotated[
        list[Path] | None,
        typer.Option(
            "--query-decisions",
            metavar="FILE",
            help="Recorded decisions of a language model that hold the question, to explain a line of evaluate.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page to click through; it works without a network."),
    ] = None,
    cypher: Annotated[
        bool, typer.Option("--cypher", help="Print a statement that draws the same in Neo4j Browser, and nothing else.")
    ] = False,
    namespace: Namespace = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Say why each passage is found for a question, and why no other fact was used.

    For each passage: what part of its score comes from where the walk started (exact, for a walk to its end), a path
    from there to it with the sentences it comes from, and its place in dense search and BM25.
    """
    check_retrieve(context, str(mode), looks=looks, no_llm=no_llm, named=bool(entity), as_json=False)
    if as_json:
        refuse_idle(context, ("cypher",), "--json has the statement too.")
    if html is not None:
        output.check_file(html, "--html", query_decisions or ())
    settings = make_settings(namespace=namespace, llm_cache=False if no_cache else None)
    conditions = parse_where(where)
    entities, fact_filter = _decided(question, query_decisions, entity)
    from hipporag_neo4j.explaining.search_and_explain import search_and_explain
    from hipporag_neo4j.hipporag import HippoRAG

    with HippoRAG(settings) as rag, waiting("Searching and walking"):

        def search() -> "RetrievalResult":
            return rag.retrieve(
                question,
                mode=cast("Mode", str(mode)),
                limit=limit,
                entities=entities,
                looks=looks,
                no_llm=no_llm,
                where=conditions,
                fact_filter=fact_filter,
            )

        explanation = search_and_explain(search, rag.explain)
    if html is not None:
        from hipporag_neo4j.explaining.write_page import write_page

        output.write_file(html, write_page(explanation), "The explanation")
    if as_json:
        from hipporag_neo4j.explaining.plain import explanation_values

        output.print_json({"namespace": settings.namespace, **explanation_values(explanation)})
    elif cypher:
        from hipporag_neo4j.inspection.paste import with_parameters

        typer.echo(with_parameters(explanation.statement, explanation.parameters))
    elif html is None:
        _show(explanation)
        return
    for notice in explanation_notices(explanation):
        output.warn(notice)


def _decided(
    question: str, files: Sequence[Path] | None, entities: list[str] | None
) -> "tuple[Sequence[str] | None, FactFilter | None]":
    """The question's entities and the filter of facts, as recorded; given entities go before recorded ones."""
    if not files:
        return entities, None
    from hipporag_neo4j.evaluation.query_decisions import read_decisions
    from hipporag_neo4j.evaluation.replay import replay

    decision = read_decisions(files).by_question.get(question.strip())
    if decision is None:
        raise typer.BadParameter(
            f"No decision about this question is recorded in {', '.join(map(str, files))}. Give the question as it "
            "stands there, word for word.",
            param_hint="'--query-decisions'",
        )
    return entities or decision.named_entities, replay(decision)


def _show(explanation: "Explanation") -> None:
    console = output.stdout()
    result = explanation.result
    for notice in dict.fromkeys([explanation.reason, *explanation_notices(explanation)]):
        if notice and notice != result.fallback:
            console.print(Text(output.clean(notice), style="bold yellow"))
    tree = Tree(Text(output.clean(result.question), style="bold"), guide_style="dim")
    if result.seeds:
        tree.add(seeds_line(result.seeds))
    for rank, explained in enumerate(explanation.passages, start=1):
        _add_passage(tree, rank, explained, explanation.compared)
    if not explanation.passages:
        tree.add("Nothing found.")
    _add_dropped(tree, explanation)
    console.print(tree)


def _add_passage(tree: Tree, rank: int, explained: "ExplainedPassage", compared: int) -> None:
    passage = explained.passage
    others = ", ".join(
        f"{name} {place if place is not None else f'beyond {compared}'}"
        for name, place in (("dense", explained.dense_rank), ("BM25", explained.bm25_rank))
    )
    branch = tree.add(
        Text.assemble(
            (f"{rank} ", "dim"),
            (output.clean(passage.title or passage.id), "bold cyan"),
            (f"  {passage.score:#.3g}", "cyan"),
            (f"  {others}", "dim"),
        )
    )
    paths = {path.nodes[0].name: path for path in explained.paths}
    small = [share for share in explained.shares if share.share < _SMALL]
    for share in explained.shares:
        if share.share >= _SMALL:
            _add_share(branch, share, paths.get(share.seed or ""))
    rest = sum(share.share for share in small)
    if rest >= _NOTHING:
        branch.add(Text(f"{rest:.1%} {output.plural(len(small), 'other seed')}", style="dim"))


def _add_share(branch: Tree, share: "Share", path: "GraphPath | None") -> None:
    name = "passages like the question" if share.seed is None else share.seed
    leaf = branch.add(Text.assemble((f"{share.share:4.0%} ", "green"), output.clean(name)))
    if path is None:
        return
    if len(path.edges) > 1:  # else the passage itself mentions it
        leaf.add(_path_line(path))
    for sentence in dict.fromkeys(_sentences(path)):
        leaf.add(Text(output.clean(sentence), style="italic dim"))


def _path_line(path: "GraphPath") -> Text:
    line = Text(output.clean(path.nodes[0].name), style="bold")
    for edge, node in zip(path.edges, path.nodes[1:], strict=True):
        said = output.clean(edge.says)
        if edge.kind == "fact":
            line.append(f" ←{said}─ " if edge.reversed else f" ─{said}→ ", style="dim")
        elif edge.kind == "synonym":
            line.append(f" ≈{said}≈ ", style="dim")
        else:
            line.append(" mentioned in " if node.kind == "passage" else " mentions ", style="dim")
        line.append(output.clean(node.name), style="cyan" if node.kind == "passage" else "bold")
    return line


def _sentences(path: "GraphPath") -> Iterator[str]:
    """Where the path's facts are stated, and for a path without one where its phrase stands."""
    facts = [edge for edge in path.edges if edge.kind == "fact"]
    for edge in facts or path.edges[-1:]:
        if edge.stated is not None:
            place = "" if edge.stated.passage == path.nodes[-1].id else f" ({edge.stated.title or edge.stated.passage})"
            yield f"“{edge.stated.sentence}”{place}"


def _add_dropped(tree: Tree, explanation: "Explanation") -> None:
    from hipporag_neo4j.explaining.plain import why_dropped

    for number, look in enumerate(explanation.result.looks, start=1):
        if not look.dropped:
            continue
        count = output.plural(len(look.dropped), "fact")
        branch = tree.add(Text(f"Look {number}: {count} of {len(look.shown)} not kept", style="bold"))
        branch.add(Text(output.clean(why_dropped(look, no_llm=explanation.result.no_llm)), style="dim"))
        for fact in look.dropped[:_DROPPED]:
            said = output.clean(f"{fact.subject} ─{fact.predicate}→ {fact.object}")
            branch.add(Text.assemble((f"{fact.score:.2f} ", "dim"), said))
        if (more := len(look.dropped) - _DROPPED) > 0:
            branch.add(Text(f"and {more} more (--json has all)", style="dim"))
