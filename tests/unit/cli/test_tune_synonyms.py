"""The options of `tune-synonyms`: the range they give, and what is refused before a server is asked."""

import pytest
from typer.testing import CliRunner

from hipporag_neo4j.cli.app import app
from hipporag_neo4j.cli.tune_synonyms import _range


@pytest.mark.parametrize(
    ("begin", "end", "step", "thresholds"),
    [
        (None, None, None, [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]),
        (0.7, 0.9, 0.1, [0.7, 0.8, 0.9]),
        (0.7, 0.99, 0.1, [0.7, 0.8, 0.9]),
        (0.8, 0.8, None, [0.8]),
        (0.8, 1.0, 0.5, [0.8]),
    ],
)
def test_a_range_includes_both_ends(
    begin: float | None, end: float | None, step: float | None, thresholds: list[float]
) -> None:
    assert _range(begin, end, step) == thresholds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--threshold", "0"], "0 is no threshold for a cosine"),
        (["--apply", "1.5"], "1.5 is no threshold for a cosine"),
        (["--from", "nan"], "nan is no threshold for a cosine"),
        (["--from", "0.9", "--to", "0.8"], "--from 0.9 is above --to 0.8"),
        (["--step", "0"], "the step is 0"),
        (["--step", "0.0001"], "take a wider --step"),
        (["--step", "1e-320"], "take a wider --step"),
        (["--threshold", "0.8", "--from", "0.5"], "'--from': --threshold takes the place of a range. Leave it out."),
        (["--threshold", "0.8", "--step", "0"], "'--step': --threshold takes the place of a range. Leave it out."),
        (
            ["--apply", "0.8", "--threshold", "0.7", "--step", "0", "--samples", "5"],
            "'--step', '--threshold', '--samples': --apply stands alone. Leave them out.",
        ),
        (["--mode", "hybrid"], "'--mode': without --questions FILE nothing is asked. Leave it out."),
    ],
)
def test_wrong_usage(options: list[str], said: str) -> None:
    run = CliRunner().invoke(app, ["tune-synonyms", *options], env={"COLUMNS": "300"})
    assert run.exit_code == 2
    assert said in run.output
