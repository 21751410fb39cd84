"""Statement files: their form is checked when they are read, and every file in cypher/ keeps to it."""

import re

import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.queries import QueryFileError, load, names, parse

GOOD = """// Phrases of a namespace
// by name.
// params: namespace (str), rows (list of {key, name (str, normalised)}, at most
//         100), limit (int)
// returns: name (str)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
// A comment with $unknown.
WHERE phrase.name <> '$quoted // no comment' AND phrase.name IN [row IN $rows | row.name]
RETURN phrase.name AS name LIMIT $limit
"""


def test_a_file_in_the_form_is_read() -> None:
    # `{key, name …}` in the header is a description: only names outside brackets are parameters.
    query = parse("stage/find_phrases", GOOD)
    assert query.name == "stage/find_phrases"
    assert query.parameters == {"namespace", "rows", "limit"}
    assert query.returns == "name (str)"
    assert query.mode == "read"
    assert query.description == "Phrases of a namespace by name."
    assert query.text.startswith("CYPHER 25\nMATCH")
    assert query.text.endswith("LIMIT $limit")


@pytest.mark.parametrize("header", ["params", "returns", "mode"])
def test_a_missing_header_is_named_with_its_file(header: str) -> None:
    source = "\n".join(line for line in GOOD.splitlines() if not line.startswith(f"// {header}:"))
    if header == "params":
        source = source.replace("//         100), limit (int)\n", "")
    with pytest.raises(QueryFileError, match=rf"cypher/stage/x\.cypher lacks the header '// {header}:'"):
        parse("stage/x", source)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(QueryFileError, match=r"cypher/stage/x\.cypher has the mode 'delete'"):
        parse("stage/x", GOOD.replace("mode: read", "mode: delete"))


def test_a_declared_parameter_must_be_used() -> None:
    with pytest.raises(QueryFileError, match=r"cypher/stage/x\.cypher: declared but not used: \['limit'\]"):
        parse("stage/x", GOOD.replace(" LIMIT $limit", ""))


def test_a_used_parameter_must_be_declared() -> None:
    with pytest.raises(QueryFileError, match=r"cypher/stage/x\.cypher.*used but not declared: \['offset'\]"):
        parse("stage/x", GOOD.replace("LIMIT $limit", "SKIP $offset LIMIT $limit"))


def test_a_file_that_is_absent_is_named() -> None:
    with pytest.raises(QueryFileError, match="no statement 'retrieval/no_such'"):
        load("retrieval/no_such")


def test_there_are_statements() -> None:
    assert "retrieval/rank_by_mentions" in names()
    assert len(names()) > 40


@pytest.mark.parametrize("name", names())
class TestEveryStatement:
    def test_loads_and_says_what_it_does(self, name: str) -> None:
        query = load(name)
        assert query.name == name
        assert query.description.endswith(".")
        assert query.returns

    def test_is_one_statement(self, name: str) -> None:
        text = load(name).text
        assert "CYPHER" not in text.removeprefix("CYPHER 25\n")
        assert ";" not in text

    def test_has_literal_labels_types_and_properties(self, name: str) -> None:
        assert not re.search(r"\$\s*\(|\$(all|any)\b|\[\s*\$\w+\s*\]", load(name).text)

    def test_counts_whole_days_in_an_age(self, name: str) -> None:
        """`duration.between` keeps days apart from seconds: `.milliseconds` of two days and a second is a second."""
        assert "duration.between" not in load(name).text

    def test_is_in_a_stage_and_named_by_verb_and_object(self, name: str) -> None:
        assert re.fullmatch(r"[a-z]+/[a-z]+(_[a-z0-9]+)+", name)

    def test_keeps_to_a_namespace_or_to_keys(self, name: str) -> None:
        """Data of others is never touched: what reads or writes our labels says whose."""
        everywhere = {"schema/find_foreign_data"}  # looks for the data of others
        text = load(name).text
        if name.startswith("existing/"):  # reads data of others, under the names that they give, and nothing else
            assert load(name).mode == "read"
            assert not re.search(r":(Passage|Phrase|MENTIONS|RELATES|SYNONYM|Hippo\w+)\b", text)
        elif re.search(r"MATCH|MERGE", text) and name not in everywhere and not name.startswith("inspect/"):
            assert re.search(r"namespace|key", text)


def test_no_statement_lies_outside_a_stage() -> None:
    assert {name.count("/") for name in names()} == {1}
    assert not list(queries.cypher_folder().glob("*.cypher"))
