"""Options that count for nothing beside others: wrong usage, so that nobody takes a result for what it isn't."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from hipporag_neo4j.evaluation.variants import Variant

_NAMED = ("hipporag1", "hybrid")
"""Modes that start from what the question names."""
_ASKS = ("hipporag1", "hipporag2", "hybrid")
"""Modes in which a language model decides something."""
_MAKING = ("make_questions", "made", "seed", "namespace", "no_cache", "as_json")
"""Options of `evaluate` that count where questions are made."""


def refuse_idle(context: typer.Context, names: Collection[str], why: str) -> None:
    """Refuse the options among `names`, parameters of the command, that stand on the command line."""
    given = [
        f"'{option.opts[0]}'"
        for option in context.command.params
        if option.name in names and _on_command_line(context, str(option.name))
    ]
    if given:
        raise typer.BadParameter(f"{why} Leave {'it' if len(given) == 1 else 'them'} out.", param_hint=", ".join(given))


def check_search(context: typer.Context, mode: str, *, looks: int) -> None:
    """Refuse what has no effect on a search in a mode, of `retrieve` and `ask`."""
    if mode not in _NAMED:
        refuse_idle(context, ("entity",), f"the mode {mode} doesn't start from what the question names.")
    if mode != "hybrid" and looks > 1:
        refuse_idle(context, ("looks",), "only hybrid looks at facts more than once.")


def check_retrieve(context: typer.Context, mode: str, *, looks: int, no_llm: bool, named: bool, as_json: bool) -> None:
    """Refuse what has no effect beside the other options of `retrieve`; `named`: what the question names is given."""
    check_search(context, mode, looks=looks)
    if mode not in _ASKS:
        refuse_idle(context, ("no_llm", "no_cache"), f"the mode {mode} asks no language model.")
    if no_llm or (mode == "hipporag1" and named):
        refuse_idle(context, ("no_cache",), "no language model is asked.")
    if as_json:
        refuse_idle(context, ("full", "verbose"), "--json gives whole passages and all times.")


def check_graph(context: typer.Context, *, existing: bool) -> None:
    """Refuse what `retrieve` and `ask` can't do over a graph of others, or only there."""
    if existing:
        refuse_idle(context, ("namespace",), "--graph searches a graph that has no namespace.")
        refuse_idle(context, ("no_cache",), "with --graph no answer is kept.")
    else:
        refuse_idle(context, ("refresh",), "it counts with --graph.")


def check_making(context: typer.Context) -> None:
    """Refuse what has no effect where `evaluate` makes questions and asks none."""
    others = {str(option.name) for option in context.command.params} - {*_MAKING, "questions"}
    refuse_idle(context, others, "questions are made, and none is asked.")


def check_evaluate(
    context: typer.Context,
    lines: "Sequence[str | Variant]",
    *,
    answers: bool,
    ircot: bool,
    no_llm: bool,
    as_json: bool,
) -> None:
    """Refuse what has no effect beside the other options of `evaluate`; `lines` are modes and variants."""
    if not ircot:
        refuse_idle(context, ("steps",), "it counts with --ircot.")
    if not (answers or ircot):
        refuse_idle(context, ("passages",), "it counts with --answers and --ircot.")
    if not as_json:
        refuse_idle(context, ("outcomes",), "it counts with --json; --report FILE.json has them too.")
    if no_llm:
        refuse_idle(context, ("no_cache",), "no language model is asked.")
    if all(line not in _ASKS and isinstance(line, str) for line in lines):
        refuse_idle(context, ("no_llm",), f"no language model is asked by {' and '.join(map(str, lines))}.")
    if all(line not in _ASKS for line in lines):
        names = [line if isinstance(line, str) else line.name for line in lines]
        refuse_idle(context, ("query_decisions",), f"nothing is decided for {' and '.join(names)}.")


def _on_command_line(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
