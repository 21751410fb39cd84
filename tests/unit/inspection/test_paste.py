"""Text for Neo4j Browser: values are set before the statement, and none can become a part of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipporag_neo4j.inspection.catalogue import find_inspection
from hipporag_neo4j.inspection.parameters import Value
from hipporag_neo4j.inspection.paste import literal, ready_to_paste


def test_values_defaults_and_examples_are_set() -> None:
    inspection = find_inspection("facts-of-phrase")
    lines = ready_to_paste(inspection, "papers", {"phrase": "o'hare"}).splitlines()
    assert lines[:5] == [
        ":param namespace => 'papers'",
        r":param phrase => 'o\'hare'",
        ":param limit => 25",
        "",
        "CYPHER 25",
    ]
    assert "\n".join(lines[4:]) == f"{inspection.query.text};"
    assert ":param phrase => 'oda merrin'" in ready_to_paste(inspection, "papers", {})


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\\'b", r"'a\\\'b'"),
        ("a\nb\t\r", r"'a\nb\t\r'"),
        ("\x00\u2028", r"'\u0000\u2028'"),
        ("É🜁", "'É🜁'"),
        (["a", "b'"], r"['a', 'b\'']"),
        (3, "3"),
        (0.5, "0.5"),
    ],
)
def test_a_value_is_written_as_cypher_writes_it(value: Value, written: str) -> None:
    assert literal(value) == written


@given(st.text())
def test_a_text_stays_one_literal_on_one_line(text: str) -> None:
    written = literal(text)
    assert len(written.splitlines()) == 1
    inner = written[1:-1]
    for escape in ("\\\\", "\\'"):
        inner = inner.replace(escape, "")
    assert "'" not in inner
