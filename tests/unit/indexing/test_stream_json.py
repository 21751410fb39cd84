"""Entries of a JSON list, one by one."""

import json
import math
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing import read_utf8
from hipporag_neo4j.indexing.stream_json import Entry, stream_entries

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _stream(path: Path) -> Iterator[Entry]:
    return stream_entries(path, ("docs", "passages"), lambda found: f"found {list(found)}")


def _file(folder: Path, content: str | bytes) -> Path:
    path = folder / "file.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@settings(max_examples=200, deadline=None)
@given(st.lists(_VALUES, max_size=6), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 7))
def test_reads_what_json_reads_whatever_the_chunk(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], indent: int | None, ascii_only: bool, chunk: int
) -> None:
    path = _file(
        tmp_path_factory.mktemp("json"),
        json.dumps({"a": values, "docs": values, "z": math.nan}, indent=indent, ensure_ascii=ascii_only).encode(
            errors="replace"
        ),
    )
    expected = json.loads(path.read_bytes())["docs"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_utf8, "_CHUNK", chunk)
        entries = list(_stream(path))
    assert repr([entry.value for entry in entries]) == repr(expected)
    assert [entry.position for entry in entries] == list(range(len(expected)))


def test_entries_know_their_line(tmp_path: Path) -> None:
    path = _file(tmp_path, '\ufeff\n[\n  {"a": 1},\n\n  2, 3\n]\n')
    assert [entry.line for entry in _stream(path)] == [3, 5, 5]


def test_both_shapes_and_empty_lists(tmp_path: Path) -> None:
    for content in ("[]", ' {"docs": [ ]} ', '{"passages": [], "docs": 5}'):
        assert list(_stream(_file(tmp_path, content))) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ("[1, 2\n, oops]", "line 2, column 3: not JSON: Expecting value"),
        ("[1, 2", r"line 1, column 6: not JSON: ',' or '\]' was expected; the file ends here"),
        ('[{"a": "b', r"line 1, column 8: not JSON: Unterminated string; the file ends here"),
        ('[{"a": tr', "line 1, column 8: not JSON: Expecting value"),
        ("[1] 2", "line 1, column 5: not JSON: more text follows"),
        ("[1, 2,]", "line 1, column 7: not JSON"),
        ('["a\nb"]', "line 1, column 4: not JSON: Invalid control character"),
        ('{"docs": [1],}', "a key in double quotes was expected"),
        ('{"docs" [1]}', "':' was expected"),
        ('{"docs": [1], "passages": [2]}', "two lists, 'docs' and 'passages'"),
        ('{"a": 1, "b": 2}', r"no list under 'docs' or 'passages'\. found \['a', 'b'\]"),
        ('{"docs": {}}', r"no list under .* found \['docs'\]"),
        ("{}", "no list under"),
        ('"text"', "a single JSON value"),
        ("text", "line 1, column 1: not JSON"),
        ('{"a": 1}\n{"a": 2}', "no list under"),
        ("[" * 100_000, "line 1, column .*recursion"),
        ("[" + "1" * 5000 + "]", "not JSON: Exceeds the limit"),
        (b'["\xff"]', "is not UTF-8: the byte at offset 2"),
        (b'\xef\xbb\xbf["abc\xc3"]', "is not UTF-8: the byte at offset 8"),
        (b'["abc\xc3', "is not UTF-8: the byte at offset 5"),
        (b"\xff\xfe[\x00", "is UTF-16"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(_stream(_file(tmp_path, content)))


def test_a_place_far_into_the_file(tmp_path: Path) -> None:
    good = json.dumps({"text": "x" * 1000})
    lines = ["[", *[good + ","] * 3000, good, '{"text": "no comma"}]']
    with pytest.raises(InputError, match="line 3003, column 1: not JSON: ',' or"):
        list(_stream(_file(tmp_path, "\n".join(lines))))
    one_line = "[" + ",".join([good] * 3000) + ", oops]"
    with pytest.raises(InputError, match=f"line 1, column {one_line.index('oops') + 1}: not JSON"):
        list(_stream(_file(tmp_path, one_line)))
    broken = b"[" + good.encode() * 1 + b"," + (good.encode() + b",") * 3000 + b'"\xff"]'
    with pytest.raises(InputError, match=f"offset {broken.index(0xFF)} "):
        list(_stream(_file(tmp_path, broken)))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = _file(tmp_path, "[" + ",".join([json.dumps({"text": "x" * 1000})] * 20_000) + "]")
    tracemalloc.start()
    try:
        assert sum(1 for _ in _stream(path)) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 5


def test_a_missing_file(tmp_path: Path) -> None:
    def explain(_: Sequence[str]) -> str:
        return ""

    with pytest.raises(InputError, match=r"missing\.json doesn't exist"):
        list(stream_entries(tmp_path / "missing.json", ("docs",), explain))
