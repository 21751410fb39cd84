"""`inspect` below the process: the list, the text, what is refused, and rows as people see them. Needs no server."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from hipporag_neo4j.cli.app import app
from hipporag_neo4j.cli.health import health_values, show_health
from hipporag_neo4j.cli.inspect import cell, rows_table
from hipporag_neo4j.inspection.catalogue import inspections
from hipporag_neo4j.inspection.health import Health, RunQuality
from hipporag_neo4j.inspection.judge import RULES


def run(*words: str) -> Result:
    """A command where no server answers."""
    return CliRunner().invoke(app, ["inspect", *words], env={"NEO4J_URI": "bolt://127.0.0.1:1", "COLUMNS": "100"})


def test_the_list() -> None:
    listed = run()
    assert listed.exit_code == 0
    for name in inspections():
        assert f"  {name} " in listed.stdout
    entries = json.loads(run("--json").stdout)["inspections"]
    assert [entry["name"] for entry in entries] == list(inspections())
    (entry,) = [entry for entry in entries if entry["name"] == "facts-of-phrase"]
    assert entry["parameters"][0] == {
        "name": "phrase",
        "type": "str",
        "required": True,
        "default": None,
        "example": "oda merrin",
    }


def test_the_text() -> None:
    text = run("phrase_hubs", "--cypher", "--param", "limit=3", "--namespace", "papers").stdout
    assert text.splitlines()[:2] == [":param namespace => 'papers'", ":param limit => 3"]
    assert text.rstrip().endswith(f"{inspections()['phrase-hubs'].query.text};")
    assert ":param phrase => 'oda merrin'" in run("facts-of-phrase", "--cypher").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["facts-of-phrase"], "facts-of-phrase needs phrase. It takes phrase"),
        (["facts-of-phrase", "-p", "phrase=a", "-p", "odd=1"], "takes no odd"),
        (["facts-of-phrase", "-p", "odd=1", "--cypher"], "takes no odd"),
        (["phrase-hubs", "-p", "limit=all"], "limit is 'all'"),
        (["phrase-hubs", "-p", "limit=0", "--cypher"], "limit is 0"),
        (["hubs"], "Perhaps phrase-hubs"),
    ],
)
def test_wrong_usage_is_explained_in_words_and_json(words: list[str], said: str) -> None:
    result = run(*words, "--json")
    assert result.exit_code == 1
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "InputError"
    assert said in error["message"]


def test_options_that_need_a_name_say_so() -> None:
    assert run("--cypher").exit_code == 2
    assert CliRunner().invoke(app, ["status", "--health", "--all"]).exit_code == 2


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (12345, "12,345"),
        (0.5, "0.5"),
        (["a", None, 1], "a, , 1"),
        ({"a": 1}, '{"a": 1}'),
        (datetime(2026, 11, 30, 17, 5, tzinfo=UTC), "2026-11-30 17:05"),
        (date(2026, 11, 30), "2026-11-30"),
    ],
)
def test_cells(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_a_table_shows_what_steers_a_terminal_as_spaces_and_markup_as_it_is() -> None:
    assert "│ [red]a b" in printed(rows_table([{"name": "[red]a\x1bb", "count": 1}]))


def test_one_row_of_many_columns_stands_one_under_the_other() -> None:
    row = {f"c_{number}": number for number in range(8)}
    assert printed(rows_table([row])).split("\n")[3].split() == ["c", "3", "3"]


def test_health_shows_verdicts_advice_and_the_trend() -> None:
    measures = tuple(rule.judge(name, 50, 100) for name, rule in RULES.items())
    runs = (RunQuality("r2", "gpt-x", datetime(2026, 12, 1, tzinfo=UTC), 10, 5, 50, 12.5, 3, 1),)
    health = Health(measures, runs, ("Something isn't known.",))
    console = Console(width=200, record=True)
    with console.capture() as captured:
        show_health(console, health)
    lines = captured.get().splitlines()
    assert any(line.startswith("look ") and "50 of 100 passages have no fact (50 %)." in line for line in lines)
    assert any("`retry-failed` tries those again" in line for line in lines)
    assert any("See inspect passages-without-facts." in line for line in lines)
    assert any(line.startswith("repair") for line in lines)
    assert any("gpt-x" in line and "12.5" in line for line in lines)
    assert "Something isn't known." in lines[-1]
    values: dict[str, Any] = json.loads(json.dumps(health_values(health)))
    assert values["measures"][0]["see"] == "passages-without-facts"
    assert values["runs"][0]["per_100_words"] == 12.5


def printed(what: object) -> str:
    """What stands on a terminal of 100 columns."""
    console = Console(width=100)
    with console.capture() as captured:
        console.print(what)
    return captured.get()
