"""`ask`: ask a question, see the answer as it is written, and the passages it rests on."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.table import Table
from rich.text import Text

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.filters import WhereOption, parse_where
from hipporag_neo4j.cli.idle_options import check_graph, check_search, refuse_idle
from hipporag_neo4j.cli.options import AsJson, ModeName, Namespace, NoCache, make_settings
from hipporag_neo4j.cli.progress import waiting
from hipporag_neo4j.cli.retrieve import (
    Entities,
    GraphFileOption,
    ModeOption,
    Refresh,
    open_graph,
    place_values,
    result_values,
)
from hipporag_neo4j.notices import search_notices

if TYPE_CHECKING:
    from hipporag_neo4j.domain import AnswerResult, Mode, RankedPassage, RetrievalResult, Step

_IRCOT_STEPS = 4
_TITLES = 4
"""Of the passages that a search found, so many are named while it goes on."""


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask, in quotes.")],
    mode: ModeOption = ModeName.hybrid,  # type: ignore[attr-defined]  # made from a list
    passages: Annotated[
        int, typer.Option("--passages", "-k", min=1, max=100, help="How many passages the language model reads.")
    ] = 5,
    entity: Entities = None,
    looks: Annotated[
        int,
        typer.Option(min=1, max=3, help="How often hybrid looks for facts; each look costs a call and finds more."),
    ] = 1,
    ircot: Annotated[
        bool, typer.Option("--ircot", help="Think and search again before answering: as --steps 4.")
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=20,
            help="How often to search, at most: first for the question, then for the model's next thought. 1 unless "
            "given; each further step costs a call or two.",
            show_default=False,
        ),
    ] = None,
    where: WhereOption = None,
    namespace: Namespace = None,
    graph: GraphFileOption = None,
    refresh: Refresh = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the passages, and show those that the answer rests on.

    The language model (HIPPORAG_LLM_MODEL) is given the best passages and nothing else. When they don't hold the
    answer, it says so.
    """
    check_search(context, str(mode), looks=looks)
    check_graph(context, existing=graph is not None)
    if steps == 1:
        refuse_idle(context, ("ircot",), "with --steps 1 nothing is searched again.")
    settings = make_settings(namespace=namespace, llm_cache=False if no_cache else None)
    steps = steps or (_IRCOT_STEPS if ircot else 1)
    asked: dict[str, Any] = {
        "mode": cast("Mode", str(mode)), "passages": passages, "entities": entity, "looks": looks, "steps": steps,
        "where": parse_where(where),
    }  # fmt: skip
    with open_graph(settings, graph, refresh=refresh) as rag:
        if as_json:
            result = rag.answer(question, **asked)
            output.print_json({**place_values(settings, graph), **answer_values(result)})
            for notice in search_notices(result.retrieval):
                output.warn(notice)
            return
        with _Screen() as screen:
            result = rag.answer(question, **asked, on_text=screen.text, on_step=screen.step, on_found=screen.found)
    _show_passages(result)
    for notice in _reading_notices(result):
        output.stdout().print(Text(notice, style="yellow"))
    _show_cost(result)


class _Screen(AbstractContextManager["_Screen"]):
    """What is seen until the answer is there: a spinner, the steps, what went otherwise than asked, and the text."""

    def __init__(self) -> None:
        self._console = output.stdout()
        self._spinner: AbstractContextManager[None] | None = None
        self._searches = 0
        self._open_line = False

    def __enter__(self) -> "_Screen":
        self._wait("Searching")
        return self

    def __exit__(self, *error: object) -> None:
        self._stop_waiting()
        if self._open_line:
            self._console.out("")

    def step(self, step: "Step") -> None:
        """A step is done."""
        self._stop_waiting()
        if step.thought is not None:
            self._console.print(Text.assemble(("Thought: ", "dim"), output.clean(step.thought)))
        if step.problem is not None:
            self._console.print(Text(output.clean(step.problem), style="yellow"))
        if step.retrieval is not None:
            self._searches += 1
            self._console.print(_search_line(self._searches, step), soft_wrap=False)
        self._wait("Thinking")

    def found(self, retrieval: "RetrievalResult") -> None:
        """The passages are there, and are read now."""
        self._stop_waiting()
        for notice in search_notices(retrieval):
            self._console.print(Text(output.clean(notice), style="bold yellow"))
        if retrieval.steps or search_notices(retrieval):
            self._console.print()
        if retrieval.passages:
            self._wait(f"Reading {output.plural(len(retrieval.passages), 'passage')}")

    def text(self, piece: str) -> None:
        """The next piece of the answer's text."""
        self._stop_waiting()
        self._console.out(output.clean(piece), end="", highlight=False)
        self._open_line = True

    def _wait(self, message: str) -> None:
        self._spinner = waiting(message)
        self._spinner.__enter__()

    def _stop_waiting(self) -> None:
        if self._spinner is not None:
            self._spinner.__exit__(None, None, None)
            self._spinner = None


def answer_values(result: "AnswerResult") -> dict[str, Any]:
    """An answer as plain values."""
    numbers = {passage.id: number for number, passage in enumerate(result.read, start=1)}
    return {
        "question": result.question,
        "answer": result.answer,
        "explanation": result.explanation,
        "passages": [_reference(numbers[passage.id], passage) for passage in result.passages],
        "unknown_numbers": result.unknown,
        "read": [_reference(number, passage) for number, passage in enumerate(result.read, start=1)],
        "shortened": dict(result.shortened),
        "left_out": [passage.id for passage in result.left_out],
        "model": result.model,
        "prompt_tokens": result.prompt_tokens,
        "completion_tokens": result.completion_tokens,
        "answer_from_cache": result.from_cache,
        "timings_ms": {stage: round(milliseconds, 3) for stage, milliseconds in result.timings.items()},
        "retrieval": result_values(result.retrieval),
        "steps": [_step_values(step) for step in result.retrieval.steps],
    }


def _step_values(step: "Step") -> dict[str, Any]:
    return {
        "thought": step.thought,
        "answer": step.answer,
        "problem": step.problem,
        "new": list(step.new),
        "retrieval": None if step.retrieval is None else result_values(step.retrieval),
    }


def _reference(number: int, passage: "RankedPassage") -> dict[str, Any]:
    return {"number": number, "id": passage.id, "title": passage.title, "score": passage.score}


def _search_line(number: int, step: "Step") -> Text:
    """What a search added."""
    assert step.retrieval is not None
    titles = {passage.id: passage.title or passage.id for passage in step.retrieval.passages}
    named = "; ".join(output.clean(titles[id_]) for id_ in step.new[:_TITLES])
    if (more := len(step.new) - _TITLES) > 0:
        named += f"; and {more} more"
    what = output.plural(len(step.new), "passage" if number == 1 else "new passage")
    return Text(f"Search {number}: {what}{': ' if named else ''}{named}", style="dim")


def _show_passages(result: "AnswerResult") -> None:
    """The passages that the answer rests on; those that were read, where it rests on none."""
    console = output.stdout()
    if not result.read:
        console.print("Nothing was found, so there was nothing to read.")
        return
    console.print()
    used = result.answer is not None and bool(result.passages)
    if used:
        heading = "Passages"
    elif result.answer is None:
        heading = "Passages that were read"
    else:
        heading = "It names no passage that it rests on. Passages that were read"
    console.print(Text(f"{heading}:", style="bold"))
    numbers = {passage.id: number for number, passage in enumerate(result.read, start=1)}
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold", style="dim")
    for passage in result.passages if used else result.read:
        heading = output.clean(passage.title) or output.snippet(passage.text, 60)
        table.add_row(f"[{numbers[passage.id]}]", heading, output.clean(passage.id))
    console.print(table)


def _reading_notices(result: "AnswerResult") -> list[str]:
    """What the model wasn't shown, and what it named that it wasn't."""
    notices = []
    numbers = {passage.id: number for number, passage in enumerate(result.read, start=1)}
    if result.shortened:
        cut = ", ".join(f"[{numbers[id_]}] by {missing:,}" for id_, missing in result.shortened.items())
        notices.append(f"Shortened to fit, in characters: {cut}. HIPPORAG_READING_CHARACTERS sets how many fit.")
    if result.left_out:
        left = ", ".join(output.clean(passage.title or passage.id) for passage in result.left_out)
        notices.append(f"Not read, for want of room (HIPPORAG_READING_CHARACTERS): {left}.")
    if result.unknown:
        notices.append(f"It named {output.plural(result.unknown, 'passage')} that it wasn't shown; not counted.")
    return notices


def _show_cost(result: "AnswerResult") -> None:
    parts = []
    if result.prompt_tokens or result.completion_tokens:
        parts.append(f"{result.prompt_tokens:,} tokens read, {result.completion_tokens:,} written")
    elif result.read and not result.from_cache:
        parts.append("tokens not counted by the endpoint")
    if result.from_cache:
        parts.append("answer from cache")
    parts.append(f"{result.timings['total'] / 1000:.1f} s")
    output.stdout().print(Text(f"\n{output.clean(result.model)}: {', '.join(parts)}", style="dim"))
