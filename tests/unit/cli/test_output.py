"""What reaches the terminal."""

import json
import os
from pathlib import Path

import pytest
import typer

from hipporag_neo4j.cli import output
from hipporag_neo4j.errors import InputError


def test_clean_leaves_nothing_that_steers_a_terminal() -> None:
    assert output.clean("a\x1b[31mb\x07\r\tc\nd\u202ee") == "a [31mb   c\nd e"
    assert output.clean("제주도 👍 é") == "제주도 👍 é"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short\n\ntext", "short text"),
        ("one two three four", "one two …"),
        ("x" * 30, "x" * 12 + " …"),
        ("", ""),
    ],
)
def test_snippet_ends_between_words(text: str, shown: str) -> None:
    assert output.snippet(text, 12) == shown


def test_json_holds_no_character_that_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    values = {"text": "\x1b[31m \x9b31m \x7f \x00 제주도"}
    output.print_json(values)
    printed = capsys.readouterr().out
    assert [c for c in printed if c != "\n" and not c.isprintable()] == []
    assert json.loads(printed) == values


def test_plural() -> None:
    assert output.plural(1, "passage") == "1 passage"
    assert output.plural(0, "passage") == "0 passages"
    assert output.plural(1890, "entry", "entries") == "1,890 entries"


def test_list_some_says_how_many_more(capsys: pytest.CaptureFixture[str]) -> None:
    output.list_some("Left out", ["a", "b", "c"], 2)
    output.list_some("Failed", ["a", "b"], 2, of=7)
    output.list_some("Nothing", [], 2)
    assert capsys.readouterr().err == "Left out:\n  a\n  b\n  … and 1 more\nFailed:\n  a\n  b\n  … and 5 more\n"


def test_half_a_surrogate_pair_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"text": "a \ud800 b"})
    assert json.loads(capsys.readouterr().out) == {"text": "a \ud800 b"}


def test_a_file_is_checked_before_anything_is_done(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.touch()
    circle, pipe = tmp_path / "circle", tmp_path / "pipe"
    circle.symlink_to(circle)
    os.mkfifo(pipe)
    output.check_file(tmp_path / "new.html", "--html", [other, None])
    output.check_file(other, "--html")
    for wrong, said in (
        (Path("-"), "Name one"),
        (other, "would be overwritten"),
        (tmp_path, "it is a folder"),
        (other / "x", "is no folder"),
        (tmp_path / ("x" * 300), "can't be written"),
        (circle, "can't be written"),
        (pipe, "no ordinary file"),
    ):
        with pytest.raises(typer.BadParameter, match=said):
            output.check_file(wrong, "--html", [other])


@pytest.mark.parametrize("name", ["no such folder/report.md", "folder"])
def test_a_file_that_can_not_be_written_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"^The report can't be written to .*: .*\. Name another file\.$"):
        output.write_file(tmp_path / name, "text", "The report")
