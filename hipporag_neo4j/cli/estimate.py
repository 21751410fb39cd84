"""`estimate`: what indexing a source would take, before it starts."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import two_columns
from hipporag_neo4j.cli.index import BaseUrl, Concurrency, Model
from hipporag_neo4j.cli.money import duration, money, size, tokens
from hipporag_neo4j.cli.options import AsJson, Namespace, Prices, make_settings
from hipporag_neo4j.cli.progress import waiting

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.estimate import Estimate

_SHOWN = 10


def estimate(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="What would be indexed: a file or a folder, as for index.")
    ],
    namespace: Namespace = None,
    model: Model = None,
    base_url: BaseUrl = None,
    concurrency: Concurrency = None,
    passage_size: Annotated[
        int | None,
        typer.Option(min=100, envvar="HIPPORAG_PASSAGE_SIZE", help="As for index: 1500 characters unless given."),
    ] = None,
    prices: Prices = None,
    as_json: AsJson = False,
) -> None:
    """Say what indexing a source would take: passages, tokens, money, time, and room on the server.

    No model is asked and nothing is written. Every figure says what it rests on: earlier runs in this graph, where
    there are enough of them, or a default.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    settings = make_settings(
        namespace=namespace,
        llm_model=model,
        openai_base_url=base_url,
        openai_api_key="unused",  # nobody is asked: one who has no key yet may want to know what it costs
        llm_concurrency=concurrency,
        passage_size=passage_size,
        prices=prices,
    )
    problems: list[str] = []
    with HippoRAG(settings) as rag, waiting("Comparing and counting"):
        found = rag.estimate(source, on_problem=lambda error: problems.append(str(error)))
    if as_json:
        output.print_json({"namespace": rag.namespace, **_values(found), "left_out": problems})
    else:
        output.stdout().print(two_columns(_lines(found)))
    output.list_some("Would be left out", problems, _SHOWN)
    if problems:
        output.fail("What would be left out can't be used as it stands: correct it in the source.")
        raise typer.Exit(1)


def _lines(found: "Estimate") -> Iterator[tuple[str, str]]:
    compared = found.comparison
    parts = [f"{compared.new:,} new", f"{compared.changed:,} changed", f"{compared.failed:,} failed before"]
    if compared.extracted:
        parts.append(f"{compared.extracted:,} of them read before, and the answers kept")
    yield "passages", f"{compared.passages:,}: {compared.unchanged:,} unchanged, {', '.join(parts)}"
    yield "model", found.model or "none is set (HIPPORAG_LLM_MODEL); tokens are those of any"
    for call in found.calls:
        used = tokens(call.prompt_tokens, call.completion_tokens)
        yield call.call, f"{output.plural(call.calls, 'call')}, {used} [{call.basis}]"
    yield "tokens", f"{tokens(found.tokens.prompt, found.tokens.completion)}, in and out"
    yield "money", _money(found)
    if (embedding := found.embedding) is not None:
        cost = money(embedding.cost, embedding.price.currency) if embedding.price and embedding.cost is not None else ""
        said = f"{embedding.model}: {embedding.texts:,} texts, {embedding.tokens:,.0f} tokens"
        yield "embedding", f"{said}, {cost or 'price unknown'}, beside that [{embedding.basis}]"
    taken = sum(figure.value for figure in found.seconds.values())
    yield "time", duration(taken)
    for stage, figure in found.seconds.items():
        yield f"  {stage}", f"{duration(figure.value)} [{figure.basis}]"
    content = found.content
    yield (
        "graph then",
        f"{content.passages:,} passages, {content.phrases:,} phrases, {content.facts:,} facts, {content.mentions:,} "
        f"mentions, {content.synonyms:,} synonyms [{content.basis}]",
    )
    for name, figure in (
        ("on disk", found.store),
        ("projection", found.projection),
        ("a walk", found.walk),
        ("heap", found.heap),
    ):
        sign = "+" if name == "on disk" else ""
        yield name, f"{sign}{size(figure.value)} [{figure.basis}]"


def _money(found: "Estimate") -> str:
    if found.cost is None or found.price is None:
        which = f"of {found.model!r}" if found.model else "without a model"
        return f"unknown: {found.price_table} has no price {which}"
    batch = f", {money(found.batch_cost, found.price.currency)} in a batch" if found.batch_cost is not None else ""
    return f"{money(found.cost, found.price.currency)}{batch} [prices of {found.price.date}, {found.price_table}]"


def _values(found: "Estimate") -> dict[str, Any]:
    price = found.price
    return {
        "passages": asdict(found.comparison),
        "model": found.model,
        "calls": [
            asdict(call)
            | {"prompt_tokens": round(call.prompt_tokens), "completion_tokens": round(call.completion_tokens)}
            for call in found.calls
        ],
        "prompt_tokens": round(found.tokens.prompt),
        "completion_tokens": round(found.tokens.completion),
        "cost": found.cost,
        "batch_cost": found.batch_cost,
        "currency": price.currency if price else None,
        "price_date": str(price.date) if price else None,
        "price_table": found.price_table,
        "embedding": asdict(found.embedding) | {"cost": found.embedding.cost} if found.embedding else None,
        "seconds": {stage: asdict(figure) for stage, figure in found.seconds.items()},
        "graph": asdict(found.content),
        "bytes": {
            "store": asdict(found.store),
            "projection": asdict(found.projection),
            "walk": asdict(found.walk),
            "heap": asdict(found.heap),
        },
    }
