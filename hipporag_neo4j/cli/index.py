"""`index`, `import-openie` and `retry-failed`: the commands that add passages."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.batch import Batch, Resume, Wait, check_options, follow_batch
from hipporag_neo4j.cli.comparison import show_comparison
from hipporag_neo4j.cli.options import (
    AsJson,
    Namespace,
    NoCache,
    Normalisation,
    Prices,
    SynonymThreshold,
    make_settings,
)
from hipporag_neo4j.cli.write_and_show import write_and_show

if TYPE_CHECKING:
    from hipporag_neo4j.indexing.check_passages import OnProblem

ShowMalformed = Annotated[
    int,
    typer.Option(
        "--show-malformed", min=0, metavar="N", help="Name N of the triples without exactly three parts, with passage."
    ),
]

Model = Annotated[
    str | None,
    typer.Option(envvar="HIPPORAG_LLM_MODEL", help="Name of the language model that reads the passages."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="OPENAI_BASE_URL",
        help="Address of an OpenAI-compatible server; OpenAI's own, with OPENAI_API_KEY, unless given.",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(min=1, max=256, envvar="HIPPORAG_LLM_CONCURRENCY", help="Passages read at a time; 8 unless given."),
]
Prune = Annotated[
    bool,
    typer.Option(
        "--prune",
        help="Delete the namespace's passages that the source doesn't hold any more. Nothing is deleted where the "
        "source can't be read to its end, or a passage of it can't be used.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="With --prune: also where the source is empty, which deletes everything.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=0,
        metavar="N",
        envvar="HIPPORAG_INDEX_MAX_TOKENS",
        help="Stop before a passage would take more than N tokens, in and out, in all. Kept answers cost nothing.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        min=0,
        metavar="USD",
        envvar="HIPPORAG_INDEX_MAX_COST",
        help="Stop before a passage would cost more than this in all, in the currency of the price table.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what would be read, written and deleted. Nothing is written, no model asked."),
]


def index(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="SOURCE",
            help="A .jsonl or .json file of passages (text, and where there are any: id, title, metadata), a .txt or "
            ".md file, or a folder of these. Only --resume does without it.",
        ),
    ] = None,
    namespace: Namespace = None,
    model: Model = None,
    base_url: BaseUrl = None,
    concurrency: Concurrency = None,
    passage_size: Annotated[
        int | None,
        typer.Option(
            min=100,
            envvar="HIPPORAG_PASSAGE_SIZE",
            help="Characters a passage holds at most; longer texts are split by sentences. 1500 unless given.",
        ),
    ] = None,
    prune: Prune = False,
    force: Force = False,
    dry_run: DryRun = False,
    batch: Batch = False,
    resume: Resume = False,
    wait: Wait = False,
    normalisation: Normalisation = None,
    synonym_threshold: SynonymThreshold = None,
    show_malformed: ShowMalformed = 0,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    prices: Prices = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Read passages with a language model and add them to the graph.

    Passages that stand in the graph unchanged cost nothing, so the same command goes on after an interruption. A
    passage that can't be used or read doesn't stop the others: it is named at the end, and the exit status is 1. A run
    that ends at its budget (--max-tokens, --max-cost) exits with 3, and the same command goes on; so does --resume
    while the batch is under way.
    """
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.make_reader import check_budget
    from hipporag_neo4j.indexing.open_source import open_source
    from hipporag_neo4j.llm import make_language_model

    settings = make_settings(
        namespace=namespace,
        llm_model=model,
        openai_base_url=base_url,
        llm_concurrency=concurrency,
        passage_size=passage_size,
        llm_cache=False if no_cache else None,
        index_max_tokens=max_tokens,
        index_max_cost=max_cost,
        prices=prices,
        normalisation=normalisation,
        synonym_threshold=synonym_threshold,
    )
    language_model = make_language_model(settings)
    check_budget(settings)
    _check_force(prune, force)
    check_options(source, batch=batch, resume=resume, wait=wait, prune=prune, dry_run=dry_run)
    if dry_run and source is not None:
        with HippoRAG(settings, language_model=language_model) as rag:
            show_comparison(
                partial(rag.compare, source),
                prune=prune,
                as_json=as_json,
                batch=partial(rag.estimate, source) if batch else None,
            )
        return
    skipped: list[str] = []

    def count(path: Path, on_problem: "OnProblem") -> int:
        passages = open_source(
            path,
            size=settings.passage_size,
            on_problem=on_problem,
            on_skipped=lambda path, reason: skipped.append(f"{path}: {reason}"),
            may_be_empty=force,
        )
        return sum(1 for _ in passages)

    with HippoRAG(settings, language_model=language_model) as rag:
        path, write = source or Path(), rag.index
        if batch or resume:
            path, write = follow_batch(rag, source, send=batch, wait=wait, as_json=as_json)
        write_and_show(
            rag,
            partial(count, path),
            lambda progress, on_problem: write(
                path,
                prune=prune,
                force=force,
                progress=progress,
                on_problem=on_problem,
                on_spent=progress.spent,
            ),
            prune=prune,
            show_malformed=show_malformed,
            as_json=as_json,
            skipped=skipped,
        )


def import_openie(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="An OpenIE file of the official HippoRAG code, of either generation."),
    ],
    namespace: Namespace = None,
    prune: Prune = False,
    force: Force = False,
    dry_run: DryRun = False,
    normalisation: Normalisation = None,
    synonym_threshold: SynonymThreshold = None,
    show_malformed: ShowMalformed = 0,
    as_json: AsJson = False,
) -> None:
    """Add passages whose triples are ready, from a file; needs no language model.

    Triples that don't have exactly three parts are counted and left out. The same command goes on after an
    interruption. An entry that can't be used doesn't stop the others: it is named at the end, and the exit status is 1.
    """
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
    from hipporag_neo4j.indexing.read_openie import read_openie

    settings = make_settings(namespace=namespace, normalisation=normalisation, synonym_threshold=synonym_threshold)
    _check_force(prune, force)
    if dry_run:
        with HippoRAG(settings) as rag:
            show_comparison(partial(rag.compare_openie, file), prune=prune, as_json=as_json)
        return

    def count(on_problem: "OnProblem") -> int:
        extracted = read_openie(file, on_problem=on_problem, may_be_empty=force)
        return sum(1 for _ in DistinctPassages(extracted, on_problem))

    with HippoRAG(settings) as rag:
        write_and_show(
            rag,
            count,
            lambda progress, on_problem: rag.import_openie(
                file, prune=prune, force=force, progress=progress, on_problem=on_problem
            ),
            prune=prune,
            show_malformed=show_malformed,
            as_json=as_json,
        )


def retry_failed(
    namespace: Namespace = None,
    model: Model = None,
    base_url: BaseUrl = None,
    concurrency: Concurrency = None,
    show_malformed: ShowMalformed = 0,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    prices: Prices = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Have the language model read again the passages that it could not read.

    The source isn't needed: their texts are in the graph. What can't be read again is named at the end, and the exit
    status is 1.
    """
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.make_reader import check_budget
    from hipporag_neo4j.llm import make_language_model

    settings = make_settings(
        namespace=namespace,
        llm_model=model,
        openai_base_url=base_url,
        llm_concurrency=concurrency,
        llm_cache=False if no_cache else None,
        index_max_tokens=max_tokens,
        index_max_cost=max_cost,
        prices=prices,
    )
    language_model = make_language_model(settings)
    check_budget(settings)
    with HippoRAG(settings, language_model=language_model) as rag:
        if not as_json and not rag.status().states.get("failed", 0):
            output.tell(f"The graph {rag.namespace!r} has no passage that could not be read: nothing to try again.")
            return
        write_and_show(
            rag,
            lambda on_problem: rag.status().states.get("failed", 0),
            lambda progress, on_problem: rag.retry_failed(progress=progress, on_spent=progress.spent),
            show_malformed=show_malformed,
            as_json=as_json,
        )


def _check_force(prune: bool, force: bool) -> None:
    if force and not prune:
        raise typer.BadParameter("--force says that --prune may delete everything. Add --prune, or leave it out.")
