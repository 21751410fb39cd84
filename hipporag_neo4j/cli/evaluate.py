"""`evaluate`: how much of what should be found is found."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.evaluation_entries import (
    choose_lines,
    entry_names,
    make_entries,
    make_reader,
    need_language_model,
)
from hipporag_neo4j.cli.evaluation_files import check_report, outcomes_file, write_report
from hipporag_neo4j.cli.filters import WhereOption, parse_where
from hipporag_neo4j.cli.idle_options import check_evaluate, check_making
from hipporag_neo4j.cli.make_questions import make_question_file
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, NoCache, make_settings
from hipporag_neo4j.cli.progress import progress_bars
from hipporag_neo4j.errors import InputError

if TYPE_CHECKING:
    from hipporag_neo4j.domain import Mode
    from hipporag_neo4j.evaluation import Evaluation, Setting
    from hipporag_neo4j.evaluation.variants import Variant


def evaluate(
    context: typer.Context,
    questions: Annotated[
        Path | None,
        typer.Argument(
            metavar="QUESTIONS",
            help="A question file of MuSiQue, HotpotQA or 2WikiMultihopQA, or a list of "
            '{"id", "question", "gold": passage ids} with, where wanted, "entities".',
        ),
    ] = None,
    mode: Annotated[
        list[ModeName] | None,
        typer.Option(help="A mode to measure; give it once for each. hybrid and dense unless given."),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A variant of a mode to measure beside it, such as hipporag1/no-synonyms; give it once for each.",
        ),
    ] = None,
    variants: Annotated[
        bool, typer.Option("--variants", help="Measure all variants of the modes given, or of all modes.")
    ] = False,
    no_llm: Annotated[
        bool,
        typer.Option("--no-llm", help="Ask no language model: hybrid does without and finds less."),
    ] = False,
    query_decisions: Annotated[
        list[Path] | None,
        typer.Option(
            "--query-decisions",
            metavar="FILE",
            help="Recorded decisions of a language model, to repeat a run without one; several files add up.",
        ),
    ] = None,
    looks: Annotated[
        int, typer.Option(min=1, max=3, help="How often hybrid looks for facts; each look costs a call and a walk.")
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask the first so many questions only.")] = None,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers", help="Have the language model answer from the passages, and measure exact match and F1."
        ),
    ] = False,
    passages: Annotated[
        int, typer.Option(min=1, max=100, help="With --answers and --ircot: how many passages it reads at a time.")
    ] = 5,
    ircot: Annotated[
        bool,
        typer.Option(
            "--ircot", help="Measure each mode as the retriever of IRCoT too: search, think, search with the thought."
        ),
    ] = False,
    steps: Annotated[int, typer.Option(min=2, max=20, help="With --ircot: searches a question at most.")] = 4,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIRST:SECOND",
            help="Compare two modes question by question, and list the questions that each wins; the first mode is "
            "compared with each of the others unless given.",
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option(min=100, help="How often questions are drawn anew for intervals and p values.")
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, help="Where drawing starts; the same gives the same intervals, or questions.")
    ] = 0,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write a report: .md to be pasted into a wiki, .json with what was found for each question.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep what is answered in FILE (JSON lines) as it comes; the same command goes on from there, and "
            "asks nothing twice.",
        ),
    ] = None,
    make_questions: Annotated[
        int | None,
        typer.Option(
            "--make-questions",
            min=1,
            metavar="N",
            help="Instead of asking: have the language model write N questions from facts of the graph that two or "
            "three passages hold together, for a team that has none of its own. They are marked as synthetic.",
        ),
    ] = None,
    made: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Where the made questions go; .json.")
    ] = None,
    where: WhereOption = None,
    namespace: Namespace = None,
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="With --json: what was found for each question, too.")
    ] = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Ask the questions of a test set, and measure what share of the gold passages is found, and how long it takes.

    R@5 is the share of a question's gold passages among the first 5; all@5 the share of questions with all of them.
    What a mode finds more than another may be chance: the intervals and the comparison tell.
    """
    from hipporag_neo4j import evaluation
    from hipporag_neo4j.filters import EVERYTHING
    from hipporag_neo4j.hipporag import HippoRAG

    conditions = parse_where(where)
    settings = make_settings(namespace=namespace, llm_cache=False if no_cache else None)
    if no_llm:
        settings = settings.model_copy(update={"llm_model": None})
    if questions is None or make_questions is not None or made is not None:
        if make_questions is not None:
            check_making(context)
        make_question_file(settings, questions, make_questions, made, seed=seed, as_json=as_json)
        return
    if no_llm and (answers or ircot):
        raise typer.BadParameter("--answers and --ircot ask the language model.", param_hint="'--no-llm'")
    lines = _lines(mode, variant, all_variants=variants, no_llm=no_llm)
    check_evaluate(context, lines, answers=answers, ircot=ircot, no_llm=no_llm, as_json=as_json)
    names = entry_names(lines, ircot=ircot)
    compared = _pairs(names, compare)
    _check_looks(names, looks)
    for number, path in enumerate(report or ()):
        check_report(path, [questions, resume, *(query_decisions or ()), *(report or ())[:number]])
    asked = evaluation.read_questions(questions)[:limit]
    decisions = evaluation.read_decisions(query_decisions) if query_decisions else None
    with HippoRAG(settings) as rag:
        if answers or ircot:
            need_language_model(rag)
        filtered = rag.read_filter(conditions) if conditions else EVERYTHING
        setting = evaluation.read_setting(
            rag.database,
            settings,
            questions,
            asked,
            decisions=decisions,
            looks=looks,
            passages_read=passages if answers else None,
            where=filtered,
        )
        with outcomes_file(resume, setting) as kept, progress_bars() as bars:
            tasks = {name: bars.add_task(name, total=len(asked)) for name in names}
            result = evaluation.run(
                partial(rag.retrieve, where=conditions),
                lambda some: evaluation.find_gold(rag.database, rag.namespace, some, filtered),
                asked,
                make_entries(rag, lines, steps=steps if ircot else None, passages=passages, where=conditions),
                decisions=decisions,
                looks=looks,
                read=make_reader(rag, passages) if answers else None,
                compared=compared,
                sampling=evaluation.Sampling(resamples, seed),
                outcomes=kept,
                progress=lambda name, done, total: bars.update(tasks[name], completed=done, total=total),
            )
    for path in report or ():
        write_report(path, result, setting)
    if as_json:
        output.print_json(evaluation.to_json(result, setting, outcomes=outcomes))
        for warning in result.warnings:
            output.warn(warning)
        return
    _show(result, setting, questions_too=bool(compare))


def _show(result: "Evaluation", setting: "Setting", *, questions_too: bool) -> None:
    """The tables, and below them what is to be read beside them."""
    from hipporag_neo4j import evaluation

    console = output.stdout()
    for table in (
        evaluation.to_table(result),
        evaluation.to_answer_table(result),
        evaluation.to_comparison_table(result),
        evaluation.to_latency_table(result),
    ):
        if table is not None:
            console.print(table)
    if questions_too:
        for line in evaluation.compared_questions(result, setting):
            console.print(output.clean(line), soft_wrap=True)  # commands are to be copied whole
    for line in evaluation.summary(result):
        output.tell(line)
    if result.comparisons and not questions_too:
        one = result.comparisons[0]
        output.tell(f"Which questions each wins: --compare {one.first}:{one.second}, or --report FILE.md.")


def _lines(
    modes: list[ModeName] | None, variants: list[str] | None, *, all_variants: bool, no_llm: bool
) -> "list[Mode | Variant]":
    given = [cast("Mode", str(mode)) for mode in modes or ()] or None
    try:
        return choose_lines(given, variants or (), all_variants=all_variants, no_llm=no_llm)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="'--variant'") from error


def _pairs(names: Sequence[str], wanted: list[str] | None) -> tuple[tuple[str, str], ...]:
    from hipporag_neo4j.evaluation import pairs_of

    try:
        return pairs_of(names, wanted or ())
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="'--compare'") from error


def _check_looks(names: Sequence[str], looks: int) -> None:
    """Refuse looks that nobody takes: figures under the name of two looks would be those of none."""
    if looks > 1 and "hybrid" not in names:
        raise typer.BadParameter(
            f"only hybrid looks at facts more than once, and it isn't among {', '.join(names)}. Add --mode hybrid, or "
            "leave --looks out.",
            param_hint="'--looks'",
        )
