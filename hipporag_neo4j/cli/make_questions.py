"""`evaluate --make-questions`: a question file for a team that has none."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.progress import progress_bars

if TYPE_CHECKING:
    from hipporag_neo4j.evaluation.make_questions import MadeQuestions
    from hipporag_neo4j.settings import Settings


def make_question_file(
    settings: "Settings", given: Path | None, number: int | None, target: Path | None, *, seed: int, as_json: bool
) -> None:
    """Make questions, write them, and say what came of it.

    Refuses, as wrong usage, what doesn't go together: a question file is read, or one is made.
    """
    from hipporag_neo4j.evaluation.make_questions import check_target, make_questions, to_entries, write_entries
    from hipporag_neo4j.hipporag import HippoRAG
    from hipporag_neo4j.llm import make_language_model
    from hipporag_neo4j.schema import open_graph

    number, target = _checked(given, number, target)
    check_target(target)  # before anything is paid for
    with HippoRAG(settings) as rag, progress_bars() as bar:
        graph = open_graph(rag.database, rag.namespace)
        task = bar.add_task("questions", total=number)
        made = make_questions(
            rag.database,
            graph,
            rag.language_model or make_language_model(settings),  # which says what is missing
            number,
            seed=seed,
            concurrency=settings.llm_concurrency,
            prompts_dir=settings.prompts_dir,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if made.questions:
        write_entries(target, made)
    if as_json:
        output.print_json({"namespace": settings.namespace, **_values(made), "questions": list(to_entries(made))})
    for line in _summary(made, number, target, settings.namespace):
        output.tell(line)
    if not made.questions:
        output.fail(
            "No question could be used, and nothing was written. Try another language model (HIPPORAG_LLM_MODEL), or "
            "another --seed."
        )
        raise typer.Exit(1)


def _checked(given: Path | None, number: int | None, target: Path | None) -> tuple[int, Path]:
    if number is None and target is not None:
        raise typer.BadParameter(
            "It says where made questions go: give --make-questions N, too.", param_hint="'--output'"
        )
    if number is None:
        raise typer.BadParameter(
            "Give a question file, or make one: --make-questions N --output FILE.", param_hint="'QUESTIONS'"
        )
    if given is not None:
        raise typer.BadParameter(
            f"Questions are made from the graph, not from {given}. Leave one of the two out.",
            param_hint="'--make-questions'",
        )
    if target is None:
        raise typer.BadParameter("Name a file for the questions: --output FILE.", param_hint="'--make-questions'")
    if target.suffix.lower() != ".json":
        raise typer.BadParameter(f"{target} must end in .json.", param_hint="'--output'")
    return number, target


def _values(made: "MadeQuestions") -> dict[str, Any]:
    return {
        "made": len(made.questions),
        "chains": made.chains,
        "exhausted": made.exhausted,
        "dropped": dict(made.dropped),
        "prompt_tokens": made.prompt_tokens,
        "completion_tokens": made.completion_tokens,
        "answers_from_cache": made.from_cache,
    }


def _summary(made: "MadeQuestions", number: int, target: Path, namespace: str) -> list[str]:
    count = len(made.questions)
    lines = [
        f"{output.plural(count, 'question')} from {output.plural(made.chains, 'chain')} of facts; "
        f"{made.prompt_tokens:,} + {made.completion_tokens:,} tokens"
        + (f", {output.plural(made.from_cache, 'answer')} from cache." if made.from_cache else ".")
    ]
    if made.dropped:
        reasons = "; ".join(f"{reason} ({times:,})" for reason, times in made.dropped.most_common())
        lines.append(f"Dropped {made.dropped.total():,}: {reasons}.")
    if count < number:
        lines.append(
            f"Fewer than the {number:,} asked for: the graph has no more than {output.plural(made.chains, 'chain')} of "
            "two or three facts from different passages."
            if made.exhausted
            else f"Fewer than the {number:,} asked for: given up after {output.plural(made.chains, 'chain')}, since so "
            "many questions were dropped."
        )
    if count:
        lines.append(
            f"Written to {target}, marked as synthetic. Read some of them before you rely on them, then: "
            + shlex.join(["hipporag-neo4j", "evaluate", str(target), "--namespace", namespace])
        )
    return lines
