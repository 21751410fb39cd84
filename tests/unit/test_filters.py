"""What a filter may say: names, operators and values are checked before a statement is made of them."""

from typing import Any

import pytest

from hipporag_neo4j import queries
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.filters import (
    Condition,
    Filter,
    FilterProperties,
    FilterType,
    check_declaration,
    make_filter,
    parse_declaration,
    quoted,
)
from hipporag_neo4j.queries import QueryFileError, parse

DECLARED: dict[str, FilterType] = {
    "year": "int",
    "team": "string",
    "ratio": "float",
    "open": "bool",
    "한 a.b-c": "string",
}
HALF = "\ud800"


def test_a_value_is_to_be_equal_and_operators_stand_by_name() -> None:
    made = make_filter({"year": {">=": 2020, "<": 2024}, "team": "x"}, DECLARED, "n")
    assert made.conditions == (
        Condition("team", "=", "x"),
        Condition("year", "<", 2024),
        Condition("year", ">=", 2020),
    )
    assert made.text("p") == "p.`meta_team` = $where_0 AND p.`meta_year` < $where_1 AND p.`meta_year` >= $where_2"
    assert made.parameters == {"where_0": "x", "where_1": 2024, "where_2": 2020}
    assert str(made) == 'team = "x" and year < 2024 and year >= 2020'


def test_the_order_they_are_given_in_makes_no_difference_and_a_value_does() -> None:
    one = make_filter({"team": "x", "year": {"<": 1, ">": 0}}, DECLARED, "n")
    assert one.key == make_filter({"year": {">": 0, "<": 1}, "team": {"=": "x"}}, DECLARED, "n").key
    assert one.key != make_filter({"year": {">": 0, "<": 2}, "team": "x"}, DECLARED, "n").key
    numbers = [make_filter({"ratio": value}, DECLARED, "n").key for value in (1, 1.0)]
    assert numbers[0] != numbers[1]
    assert make_filter({"open": True}, DECLARED, "n").parameters == {"where_0": True}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"yaer": 2020}, "'yaer', which isn't declared .* year:int, team:string"),
        ({"meta_year": 2020}, "isn't declared"),
        ({"a`b} RETURN 1 //": 1}, "isn't declared"),
        ({5: 1}, "names 5"),
        ({}, "holds no condition"),
        ({"year": {}}, "'year' holds no condition"),
        ("year>=2020", "The filter is 'year>=2020'"),
        ([("year", 1)], "The filter is"),
        ({"year": {"!=": 2020}}, "'!=', which is no operator. Take =, >, >=, <, <="),
        ({"year": {"in": [2020]}}, "'in', which is no operator.* ask once for each"),
        ({"year": {">= 1 OR true //": 2020}}, "is no operator"),
        ({"year": {"nested": {"=": 1}}}, "is no operator"),
        ({"year": {"=": {"=": 1}}}, "Give a whole number"),
        ({"year": [2020, 2021]}, "ask once for each of several"),
        ({"year": "2020"}, "declared as int, with '2020'. Give a whole number"),
        ({"year": 2020.0}, "Give a whole number"),
        ({"year": True}, "Give a whole number"),
        ({"year": None}, "Give a whole number"),
        ({"year": float("nan")}, "Give a whole number"),
        ({"year": 2**63}, "more than 64 bits hold"),
        ({"year": 10**5000}, "a number of 16,610 bits, more than 64 bits"),
        ({"team": 10**5000}, "a number of 16,610 bits. Give a text"),
        ({"team": b"x"}, "Give a text"),
        ({"team": HALF}, "half a surrogate pair at character 1"),
        ({"ratio": float("nan")}, "with nan. Give a number"),
        ({"ratio": float("inf")}, "with inf. Give a number"),
        ({"ratio": True}, "Give a number"),
        ({"open": 1}, "Give true or false"),
        ({"open": {">": True}}, "compared with '=' alone"),
        ({"year": {"=": 1, "<": 2}}, "'=' beside other operators"),
        ({"year": {">": 1, ">=": 1}}, "two lower bounds"),
        ({"year": {"<": 1, "<=": 1}}, "two upper bounds"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(where: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_filter(where, DECLARED, "n")


def test_without_a_declaration_it_says_how_to_make_one() -> None:
    with pytest.raises(InputError, match=r"no metadata declared as filterable.*init --namespace team_a --filterable"):
        make_filter({"year": 1}, {}, "team_a")


@pytest.mark.parametrize("name", ["year", "a", "9", "한", "a b", "a.b-c_d", "x" * 100])
def test_names_that_can_be_filtered_by(name: str) -> None:
    assert quoted(name) == f"`meta_{name}`"
    assert check_declaration({name: "int"}) == {name: "int"}


@pytest.mark.parametrize(
    "name",
    [
        "",
        " a",
        "a ",
        "a`b",
        "a``b",
        "a\\u0060b",
        "a\nb",
        "a$b",
        "a{b",
        "a:b",
        "a'b",
        'a"b',
        "-a",
        "x" * 101,
        HALF,
        "a/*",
    ],
)
def test_names_that_could_be_more_than_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="can't be filtered by"):
        quoted(name)
    with pytest.raises(InputError):
        check_declaration({name: "int"})
    with pytest.raises(InputError):
        Filter((Condition(name, "=", 1),)).text("p")
    with pytest.raises(InputError):
        FilterProperties((name,)).text("p")


def test_declarations_are_read_and_checked() -> None:
    assert parse_declaration("year:int, team : string,a b:bool") == {"year": "int", "team": "string", "a b": "bool"}
    for text, said in (
        ("year", "isn't NAME:TYPE"),
        ("", "isn't NAME:TYPE"),
        ("year:integer", "'integer', which is no type. Take one of string, int, float, bool"),
        ("tags:list", "lists can't be"),
        ("year:int,year:string", "declared as int and as string"),
        (":int", "can't be filtered by"),
    ):
        with pytest.raises(InputError, match=said):
            parse_declaration(text)


STATEMENT = """// Passages.
// params: namespace (str)
// returns: id (str)
// mode: read
// filter: p, q
CYPHER 25
MATCH (p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */
MATCH (q:Passage {namespace: $namespace}) WHERE q.id > p.id /*filter AND
  $where(q) */
RETURN p.id AS id"""


def test_sections_belong_to_a_statement_with_a_filter_alone() -> None:
    query = parse("stage/find_it", STATEMENT)
    assert "filter" not in query.text
    assert query.filtered == {"p", "q"}
    where = make_filter({"year": {">": 1}}, DECLARED, "n")
    filtered = query.with_filter(where)
    assert filtered.text == (
        "CYPHER 25\nMATCH (p:Passage {namespace: $namespace}) WHERE p.`meta_year` > $where_0\n"
        "MATCH (q:Passage {namespace: $namespace}) WHERE q.id > p.id AND\n  q.`meta_year` > $where_0\nRETURN p.id AS id"
    )
    assert filtered.parameters == {"namespace", "where_0"}
    assert query.text == parse("stage/find_it", STATEMENT).text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("// filter: p, q", "// filter: p", r"used but not declared: \['q'\]"),
        ("// filter: p, q", "// filter: p, q, r", r"declared but not used: \['r'\]"),
        ("// filter: p, q\n", "", "used but not declared"),
        ("/*filter WHERE $where(p) */", "WHERE $where(p)", r"filters declared but not used: \['p'\]"),
        ("/*filter WHERE $where(p) */", "/* filter WHERE $where(p) */", "filters declared but not used"),
        ("WHERE $where(p) */", "WHERE $where(p) AND p.id = $other */", r"sections alone: \['other'\]"),
        ("RETURN p.id", "/* a note */ RETURN p.id", "block comments are sections"),
    ],
)
def test_sections_that_are_not_in_the_form_are_refused(old: str, new: str, said: str) -> None:
    assert old in STATEMENT
    with pytest.raises(QueryFileError, match=said):
        parse("stage/find_it", STATEMENT.replace(old, new))


def test_a_statement_that_would_not_heed_a_filter_refuses_it() -> None:
    with pytest.raises(TypeError, match="has no section for a filter"):
        queries.load("status/count_passages").with_filter(make_filter({"year": 1}, DECLARED, "n"))


@pytest.mark.parametrize("name", [n for n in queries.names() if n.startswith("retrieval/")])
def test_every_statement_of_retrieval_heeds_a_filter(name: str) -> None:
    assert queries.load(name).filtered
