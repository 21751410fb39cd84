"""`init`, `index`, `import-openie` and `retry-failed`: the commands that write."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import malformed_table, run_values, status_values, summary_lines, two_columns
from hipporag_neo4j.cli.options import AsJson, Namespace, NoCache, Normalisation, SynonymThreshold, make_settings
from hipporag_neo4j.cli.progress import IndexProgress, index_progress, waiting
from hipporag_neo4j.errors import InputError

if TYPE_CHECKING:
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.check_passages import OnProblem
    from hipporag_neo4j.indexing.pipeline import IndexReport

_SHOWN = 10
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


def init(
    namespace: Namespace = None,
    normalisation: Normalisation = None,
    synonym_threshold: SynonymThreshold = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty graph with its indexes, or check that the one that is there fits the settings.

    `index` and `import-openie` do this by themselves; `init` is for deciding on the options beforehand.
    """
    from hipporag_neo4j.hipporag import HippoRAG

    settings = make_settings(namespace=namespace, normalisation=normalisation, synonym_threshold=synonym_threshold)
    with HippoRAG(settings) as rag:
        with waiting("Making constraints and indexes"):
            graph = rag.init()
        found = rag.status()
    if as_json:
        output.print_json(status_values(found))
        return
    output.tell(
        f"The graph {graph.namespace!r} is there: embeddings of {graph.embedding_model} ({graph.dimensions} "
        f"dimensions), {graph.normalisation} normalisation, synonyms from {graph.synonym_threshold:g}; "
        f"{output.plural(found.passages, 'passage')}."
    )
    if synonym_threshold is not None and synonym_threshold != graph.synonym_threshold:
        output.warn("The synonym threshold is the one the graph was made with; for another, take another namespace.")


def index(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A .jsonl or .json file of passages (text, and where there are any: id, title, metadata), a .txt or "
            ".md file, or a folder of these.",
        ),
    ],
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
    normalisation: Normalisation = None,
    synonym_threshold: SynonymThreshold = None,
    show_malformed: ShowMalformed = 0,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Read passages with a language model and add them to the graph.

    Passages that stand in the graph unchanged cost nothing, so the same command goes on after an interruption. A
    passage that can't be used or read doesn't stop the others: it is named at the end, and the exit status is 1.
    """
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.indexing.distinct_passages import DistinctPassages
    from hipporag_neo4j.indexing.read_passages import read_passages
    from hipporag_neo4j.indexing.split_text import split_passage
    from hipporag_neo4j.llm import make_language_model

    settings = make_settings(
        namespace=namespace,
        llm_model=model,
        openai_base_url=base_url,
        llm_concurrency=concurrency,
        passage_size=passage_size,
        llm_cache=False if no_cache else None,
        normalisation=normalisation,
        synonym_threshold=synonym_threshold,
    )
    language_model = make_language_model(settings)
    _check_force(prune, force)
    skipped: list[str] = []

    def count(on_problem: "OnProblem") -> int:
        passages = read_passages(
            source,
            on_problem=on_problem,
            on_skipped=lambda path, reason: skipped.append(f"{path}: {reason}"),
            may_be_empty=force,
        )
        return sum(
            1 for _ in DistinctPassages(passages, on_problem, partial(split_passage, size=settings.passage_size))
        )

    with HippoRAG(settings, language_model=language_model) as rag:
        _write(
            rag,
            count,
            lambda progress, on_problem: rag.index(
                source, prune=prune, force=force, progress=progress, on_problem=on_problem
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

    def count(on_problem: "OnProblem") -> int:
        extracted = read_openie(file, on_problem=on_problem, may_be_empty=force)
        return sum(1 for _ in DistinctPassages(extracted, on_problem))

    with HippoRAG(settings) as rag:
        _write(
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
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Have the language model read again the passages that it could not read.

    The source isn't needed: their texts are in the graph. What can't be read again is named at the end, and the exit
    status is 1.
    """
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.llm import make_language_model

    settings = make_settings(
        namespace=namespace,
        llm_model=model,
        openai_base_url=base_url,
        llm_concurrency=concurrency,
        llm_cache=False if no_cache else None,
    )
    language_model = make_language_model(settings)
    with HippoRAG(settings, language_model=language_model) as rag:
        if not as_json and not rag.status().states.get("failed", 0):
            output.tell(f"The graph {rag.namespace!r} has no passage that could not be read: nothing to try again.")
            return
        _write(
            rag,
            lambda on_problem: rag.status().states.get("failed", 0),
            lambda progress, on_problem: rag.retry_failed(progress=progress),
            show_malformed=show_malformed,
            as_json=as_json,
        )


def _check_force(prune: bool, force: bool) -> None:
    if force and not prune:
        raise typer.BadParameter("--force says that --prune may delete everything. Add --prune, or leave it out.")


def _write(
    rag: "HippoRAG",
    count: "Callable[[OnProblem], int]",
    write: "Callable[[IndexProgress, OnProblem], IndexReport]",
    *,
    show_malformed: int,
    as_json: bool,
    prune: bool = False,
    skipped: Sequence[str] = (),
) -> None:
    """Count what is to come, which finds a broken file before anything is written; write; report."""
    from hipporag_neo4j.status import list_failed, list_malformed

    foreseen: list[str] = []
    try:
        with waiting("Counting the passages"):
            total = count(lambda error: foreseen.append(str(error)))
    except InputError:
        output.list_some("Left out", foreseen, _SHOWN)
        raise
    output.list_some("Skipped, no kind of file that is read", skipped, _SHOWN)
    problems: list[str] = []
    with index_progress(total) as progress:
        report = write(progress, lambda error: problems.append(str(error)))
    found = rag.status()
    malformed = list_malformed(rag.database, rag.namespace, show_malformed) if show_malformed else ()
    failed = list_failed(rag.database, rag.namespace, _SHOWN) if report.failed else ()
    if as_json:
        values: dict[str, Any] = {**status_values(found), "run": run_values(report, problems)}
        if show_malformed:
            values["malformed"] = [asdict(triple) for triple in malformed]
        if failed:
            values["failed_passages"] = [asdict(passage) for passage in failed]
        output.print_json(values)
    else:
        _show_run(report, prune=prune)
        output.stdout().print(two_columns(summary_lines(found)))
        if malformed:
            output.stdout().print(malformed_table(malformed))
    output.list_some("Left out", problems, _SHOWN)
    reasons = [f"{passage.passage}: {passage.error}" for passage in failed]
    output.list_some("Could not be read", reasons, _SHOWN, of=report.failed)
    if problems or report.failed:
        if prune and problems:
            output.warn("Nothing was pruned, since not all of the source could be used.")
        output.fail(_what_is_missing(len(problems), report.failed))
        raise typer.Exit(1)


def _what_is_missing(left_out: int, not_read: int) -> str:
    """How many passages were left out of the source or not read by the model, and what to do about each."""
    counts = [(left_out, "left out"), (not_read, "not read")]
    said = ", ".join(f"{output.plural(number, 'passage')} {what}" for number, what in counts if number)
    steps = []
    if left_out:
        steps.append("What is left out can't be used as it stands: correct it in the source, then run again.")
    if not_read:
        steps.append("Run hipporag-neo4j retry-failed to have the language model try what it did not read.")
    return f"{said}; everything else is written. {' '.join(steps)}"


def _show_run(report: "IndexReport", *, prune: bool) -> None:
    parts = [f"{report.written:,} of {output.plural(report.passages, 'passage')} written"]
    if report.unchanged:
        parts.append(f"{report.unchanged:,} unchanged")
    if report.repeated:
        parts.append(f"{report.repeated:,} repeated")
    if report.deleted:
        parts.append(f"{output.plural(report.deleted, 'old part')} deleted")
    if prune:
        parts.append(f"{report.pruned:,} pruned")
    if report.truncated:
        parts.append(f"{report.truncated:,} with an answer cut off (raise HIPPORAG_LLM_MAX_TOKENS)")
    if report.prompt_tokens or report.completion_tokens:
        parts.append(f"{report.prompt_tokens:,} + {report.completion_tokens:,} tokens")
    if report.from_cache:
        parts.append(f"{output.plural(report.from_cache, 'answer')} from cache")
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.seconds.items() if stage != "total")
    output.tell(f"{', '.join(parts)} in {report.seconds['total']:.1f} s ({stages}).")
