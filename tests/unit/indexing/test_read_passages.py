"""Passages from .jsonl and .json files."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.read_passages import read_passages

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_lines(write: Write) -> None:
    path = write(
        "a.jsonl",
        '\ufeff{"id": "1", "title": "T", "text": "one\u2028still one", "metadata": {"year": 2024}, "team": "red"}\r\n'
        '\n  \n{"_id": 2, "passage": "two", "extra": null, "score": NaN}\n{"idx": "3", "content": "three"}\n'
        '{"paragraph_text": "four", "title": null}',
    )
    assert list(read_passages(path)) == [
        Passage("one\u2028still one", "1", "T", {"year": 2024, "team": "red"}),
        Passage("two", "2"),
        Passage("three", "3"),
        Passage("four"),
    ]


@pytest.mark.parametrize("shape", ["{}", '{{"passages": {}}}', '{{"made": "today", "docs": {}, "n": 2}}'])
def test_json_in_every_shape(write: Write, shape: str) -> None:
    entries = [{"title": "A", "text": "one"}, {"title": "B", "text": "two"}]
    path = write("a.json", shape.format(json.dumps(entries)))
    assert list(read_passages(path)) == [Passage("one", title="A"), Passage("two", title="B")]


def test_a_corpus_of_the_official_code(shared_data: Path) -> None:
    passages = list(read_passages(shared_data / "musique_train" / "corpus.json"))
    assert len(passages) == 1890
    assert len({(passage.title, passage.text) for passage in passages}) == 1890
    assert passages[0].title == "Journal of Mathematical Physics"


BAD_LINES = [
    ('{"text": "a"', "line 2, column 13: not JSON: Expecting ',' delimiter"),
    ("text", "line 2, column 1: not JSON: Expecting value"),
    ('{"text": " "}', "line 2: the text is empty"),
    ('{"text": 5}', "line 2: the text is a whole number, not a text"),
    ('{"text": "\\ud800"}', "line 2: the text holds half of a surrogate pair"),
    ('{"text": "a", "title": 5}', "line 2: the title is a whole number"),
    ('{"text": "a", "id": 1.5}', "line 2: the id is a number"),
    ('{"text": "a", "id": true}', "line 2: the id is a boolean"),
    ('{"text": "a", "metadata": []}', r"line 2: the metadata is \[\]"),
    ('{"text": "a", "metadata": {"by": {"name": "Ada"}}}', "line 2: metadata.by is an object"),
    ('{"text": "a", "by": {"name": "Ada"}}', "line 2: metadata.by is an object"),
    ('{"text": "a", "x": 1, "metadata": {"x": 2}}', "line 2: 'x' is both a field and in the metadata"),
    ('{"text": "a", "passage": "b"}', "line 2: two texts, 'text' and 'passage'"),
    ('{"title": "a", "body": "b"}', "line 2: no text. It is expected under .* found: 'title', 'body'"),
    ('{"text": null}', "line 2: no text"),
    ("[1]", r"line 2: a passage is an object such as .*, not \[1\]"),
    (b'{"text": "\xe9"}', "line 2 is not UTF-8: the byte at offset 28"),
    ("[" * 100_000, "line 2: JSON that can't be read"),
]


@pytest.mark.parametrize(("bad", "said"), BAD_LINES)
def test_a_bad_line_is_named_and_stops_nothing_when_reported(write: Write, bad: str | bytes, said: str) -> None:
    line = bad.encode() if isinstance(bad, str) else bad
    path = write("a.jsonl", b'{"text": "first"}' + b"\n" + line + b"\n" + b'{"text": "last"}' + b"\n")
    reading = read_passages(path)
    assert next(reading).text == "first"
    with pytest.raises(InputError, match=said) as raised:
        next(reading)
    assert str(path) in str(raised.value)

    problems: list[InputError] = []
    assert [passage.text for passage in read_passages(path, on_problem=problems.append)] == ["first", "last"]
    assert [str(problem) for problem in problems] == [str(raised.value)]


def test_a_bad_entry_of_a_json_file(write: Write) -> None:
    path = write("a.json", '[\n{"text": "first"},\n{"text": ""},\n{"text": "last"}]')
    with pytest.raises(InputError, match=r"a\.json, entry 2 \(line 3\): the text is empty"):
        list(read_passages(path))
    problems: list[InputError] = []
    assert [passage.text for passage in read_passages(path, on_problem=problems.append)] == ["first", "last"]
    assert len(problems) == 1


def test_what_spoils_the_whole_file_is_raised_even_when_problems_are_reported(write: Write) -> None:
    problems: list[InputError] = []
    reading = read_passages(write("a.json", '[{"text": "first"},\n{"text": "second"'), on_problem=problems.append)
    assert next(reading).text == "first"
    with pytest.raises(InputError, match=r"line 2, column 18: not JSON: .* may be cut off"):
        next(reading)
    assert problems == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", "", "holds no passage that can be used"),
        ("a.jsonl", "\n\n", "holds no passage that can be used"),
        ("a.json", "", "is empty"),
        ("a.json", "[]", "holds no passage that can be used"),
        ("a.json", '{"text": "a"}', "put it in a list"),
        ("a.json", '{"text": "a"}\n{"text": "b"}', r"one passage a line is named \.jsonl"),
        ("a.json", '{"chunks": []}', "It holds 'chunks'"),
        ("a.pdf", "%PDF", "is of a kind that isn't read"),
        ("a.jsonl", b"\xff\xfe{\x00", "is UTF-16"),
        ("a.md", "", "the text is empty"),
    ],
)
def test_a_file_without_passages(write: Write, name: str, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(read_passages(write(name, content)))


@pytest.mark.parametrize("name", ["none.json", "none.jsonl", "none.md", "none.pdf", "none"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} doesn't exist"):
        list(read_passages(tmp_path / name))


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_ready_triples_are_for_the_other_command(write: Write, name: str) -> None:
    entry = {"idx": "1", "passage": "A\nb", "extracted_entities": [], "extracted_triples": []}
    path = write(name, json.dumps({"docs": [entry]} if name == "a.json" else entry))
    with pytest.raises(InputError, match="Use: hipporag-neo4j import-openie"):
        list(read_passages(path, on_problem=lambda problem: None))


def test_a_megabyte_of_text(write: Write) -> None:
    text = "Ein Satz. " * 100_000
    assert [passage.text for passage in read_passages(write("a.jsonl", json.dumps({"text": text})))] == [text]
    assert [passage.text for passage in read_passages(write("a.json", json.dumps([{"text": text}])))] == [text]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
@pytest.mark.parametrize("name", ["pipe.txt", "pipe.jsonl", "pipe.json"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"is a pipe, which can't be read twice.*into a file first"):
        list(read_passages(path))
    link = tmp_path / f"device{path.suffix}"
    link.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a device"):
        list(read_passages(link))
