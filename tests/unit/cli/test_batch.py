"""Options of `index` that don't go together with a batch."""

from pathlib import Path

import pytest
import typer

from hipporag_neo4j.cli.batch import check_options

FITTING = {"batch": False, "resume": False, "wait": False, "prune": False, "dry_run": False}


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        (None, [], "Missing argument 'SOURCE'"),
        (None, ["batch"], "Missing argument 'SOURCE'"),
        ("x", ["wait"], "--wait goes with --batch or --resume"),
        ("x", ["batch", "resume"], "Give one of the two"),
        ("x", ["batch", "prune"], "Give --prune with --resume"),
        (None, ["resume", "dry_run"], "batch status"),
    ],
)
def test_options_that_do_not_go_together_are_refused(source: str | None, options: list[str], said: str) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        check_options(Path(source) if source else None, **FITTING | dict.fromkeys(options, True))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("x", []),
        ("x", ["batch"]),
        ("x", ["batch", "wait", "prune"]),
        (None, ["resume"]),
        ("x", ["resume", "prune"]),
        ("x", ["batch", "dry_run"]),
    ],
)
def test_others_are_taken(source: str | None, options: list[str]) -> None:
    check_options(Path(source) if source else None, **FITTING | dict.fromkeys(options, True))
