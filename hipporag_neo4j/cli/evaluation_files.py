"""The files that `evaluate` writes: reports, and outcomes that a later run goes on from."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hipporag_neo4j.cli import output

if TYPE_CHECKING:
    from hipporag_neo4j.evaluation import Evaluation, OutcomesFile, Setting

_REPORTS = (".md", ".json")


def check_report(path: Path, others: Collection[Path | None]) -> None:
    """Refuse a file that can't be written, or is one of the `others` of the command, before anything is asked."""
    if path.suffix.lower() not in _REPORTS:
        raise typer.BadParameter(
            f"{path} is to be what? Take a name that ends in {' or '.join(_REPORTS)}.", param_hint="'--report'"
        )
    output.check_file(path, "--report", others)


def write_report(path: Path, result: "Evaluation", setting: "Setting") -> None:
    """Write a report in the form that the file's name tells. Raises InputError where it can't be written."""
    from hipporag_neo4j import evaluation

    text = (
        evaluation.to_markdown(result, setting)
        if path.suffix.lower() == ".md"
        else json.dumps(evaluation.to_json(result, setting, outcomes=True), indent=2) + "\n"
    )
    output.write_file(path, text, "The report")


@contextmanager
def outcomes_file(path: Path | None, setting: "Setting") -> "Iterator[OutcomesFile | None]":
    """The file that a run goes on from; says what is in it when the run breaks off."""
    from hipporag_neo4j.evaluation import OutcomesFile

    if path is None:
        yield None
        return
    with OutcomesFile(path, setting.made_with) as kept:
        if kept.kept:
            output.tell(f"{path} holds {output.plural(kept.kept, 'outcome')} from before; these aren't asked again.")
        finished = False
        try:
            yield kept
            finished = True
        finally:
            if not finished:
                output.warn(f"{path} keeps {output.plural(kept.kept, 'outcome')}; the same command goes on from there.")
        if kept.left_out:
            output.warn(
                f"{output.plural(kept.left_out, 'question')} had no usable answer of the language model and "
                f"{'is' if kept.left_out == 1 else 'are'} not in {path}; the same command asks "
                f"{'it' if kept.left_out == 1 else 'them'} again."
            )
