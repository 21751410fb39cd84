"""The command line as a whole, without a server: help that fits a terminal, errors for programs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer.main
from typer.core import TyperGroup

from hipporag_neo4j import errors
from hipporag_neo4j.cli.app import app
from tests.servers import ROOT

NOWHERE = "bolt://127.0.0.1:99999999"


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "HIPPORAG_"))}
    return subprocess.run(
        [sys.executable, "-m", "hipporag_neo4j.cli", *arguments],
        cwd=ROOT,
        env={**kept, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def commands(group: TyperGroup, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command, groups included, with what its help must name in full."""
    yield before, set(group.commands)
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*before, name))
        else:
            arguments = {
                str(getattr(p, "metavar", None) or p.name) for p in command.params if p.param_type_name == "argument"
            }
            options = {option for p in command.params if p.param_type_name == "option" for option in p.opts} | arguments
            variables = {str(p.envvar) for p in command.params if p.envvar}
            yield (*before, name), options | variables


def every_command() -> list[tuple[tuple[str, ...], set[str]]]:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return list(commands(group))


def test_every_help_fits_80_columns_and_cuts_nothing_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = every_command()
    assert len(found) > 10
    for name, named in found:
        with pytest.raises(SystemExit):
            app([*name, "--help"], prog_name="hipporag-neo4j")
        text = capsys.readouterr().out
        explained, _, examples = text.partition("  Example")
        assert all(len(line) <= 80 for line in explained.splitlines()), text
        assert "..." not in explained.replace("[ARGS]...", "").replace("...]", ""), text
        assert not re.search("[╭│…]", explained), text
        assert {one for one in named if one not in text} == set(), text
        for line in examples.splitlines()[1:]:
            assert not line.strip() or line.startswith(f"    hipporag-neo4j {' '.join(name)}"), text


@pytest.mark.parametrize(
    ("arguments", "environment", "kind", "said"),
    [
        (["status"], {"NEO4J_URI": NOWHERE}, "ConfigurationError", "99999999"),
        (["retrieve", "Who?"], {"NEO4J_URI": "bolt://127.0.0.1:1"}, "ServerUnavailableError", "can't be reached"),
        (["import-openie", "none.json"], {"NEO4J_URI": "bolt://:7687"}, "ConfigurationError", "names no host"),
        (["init"], {"HIPPORAG_QUERY_TIMEOUT": "soon"}, "ConfigurationError", "HIPPORAG_QUERY_TIMEOUT"),
        (["server", "logs"], {"HIPPORAG_DATA_DIR": "/nowhere"}, "LocalServerError", "no server was started"),
    ],
)
def test_a_failure_with_json_is_one_object_that_programs_can_tell(
    arguments: list[str], environment: dict[str, str], kind: str, said: str
) -> None:
    ended = run(*arguments, "--json", **environment)
    assert ended.returncode == 1
    values = json.loads(ended.stdout)
    assert set(values) == {"error"}
    assert set(values["error"]) == {"type", "message"}
    assert values["error"]["type"] == kind
    assert hasattr(errors, kind)
    assert said in values["error"]["message"]
    assert ended.stderr == f"Error: {values['error']['message']}\n"


def test_wrong_usage_prints_no_json() -> None:
    ended = run("status", "--json", "--nonsense")
    assert (ended.returncode, ended.stdout) == (2, "")


def test_what_the_driver_logs_is_not_shown() -> None:
    program = (
        "import logging, hipporag_neo4j.cli as cli\n"
        "cli.sys.argv[1:] = ['--version']\n"
        "cli.main()\n"
        "logging.getLogger('neo4j.io').error('the connection is gone')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
