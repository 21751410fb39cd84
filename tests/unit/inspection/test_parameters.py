"""What an inspection takes: headers are read, values converted, and what is wrong is said."""

from typing import Any

import pytest

from hipporag_neo4j.errors import InputError
from hipporag_neo4j.inspection.parameters import Parameter, convert, from_texts, parameters_of
from hipporag_neo4j.queries import QueryFileError, parse

SOURCE = """// Asks something.
// params: namespace (str, such as 'demo'), share (float, default 0.8, of (all) subjects, more or less), phrase (str,
//         phrase, such as 'a, b'), names (list of str, phrases, such as ['x', 'y']), limit (int, default 25)
// returns: nothing
// mode: read
RETURN $namespace, $share, $phrase, $names, $limit
"""
TAKES = parameters_of(parse("inspect/x_y", SOURCE))


def test_a_header_is_read() -> None:
    assert (
        Parameter("phrase", "str", "phrase", None, "a, b"),
        Parameter("names", "list of str", "phrase", None, ["x", "y"]),
        Parameter("share", "float", "plain", 0.8, None),
        Parameter("limit", "int", "plain", 25, None),
    ) == TAKES


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("share (float, default 0.8", "share (real, default 0.8"),
        ("limit (int, default 25)", "limit (int)"),
        ("limit (int, default 25)", "limit"),
        ("phrase, such as 'a, b'", "phrase, such as 'a', default 'b'"),
    ],
)
def test_a_header_that_does_not_say_it_is_refused(before: str, after: str) -> None:
    query = parse("inspect/x_y", SOURCE.replace(before, after))
    with pytest.raises(QueryFileError, match=r"cypher/inspect/x_y\.cypher"):
        parameters_of(query)


def test_values_are_checked_and_names_normalised() -> None:
    given = {"phrase": "Ada-LOVELACE", "names": ["É!", "b"], "limit": 3}
    assert convert("x", TAKES, given, "unicode") == {
        "phrase": "ada lovelace",
        "names": ["é", "b"],
        "share": 0.8,
        "limit": 3,
    }
    assert convert("x", TAKES, given, "paper")["names"] == ["", "b"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "x needs phrase and names. It takes phrase"),
        ({"phrase": "a", "names": ["b"], "nmae": 1}, r"x takes no nmae\. It takes phrase"),
        ({"phrase": "a", "name": ["b"]}, "x needs names, and takes no name"),
        ({"phrase": None, "names": ["b"]}, "phrase is None"),
        ({"phrase": "a", "names": []}, "names is"),
        ({"phrase": "a", "names": [1]}, "names is 1"),
        ({"phrase": "a", "names": "b"}, "names is 'b'. Give a list of texts"),
        ({"phrase": "a", "names": ["b"], "limit": True}, "limit is True"),
        ({"phrase": "a", "names": ["b"], "limit": 2.5}, "limit is 2.5"),
        ({"phrase": "a", "names": ["b"], "limit": -1}, "limit is -1. Give a whole number from 1 to 100,000"),
        ({"phrase": "a", "names": ["b"], "share": float("nan")}, "share is nan"),
        ({"phrase": "a\ud800", "names": ["b"]}, "half a surrogate pair at character 2"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        convert("x", TAKES, given, "unicode")


def test_texts_become_values() -> None:
    texts = ["phrase=a = b", "names=x", "names=y", "limit=3", "share=.5"]
    assert from_texts("x", TAKES, texts) == {"phrase": "a = b", "names": ["x", "y"], "share": 0.5, "limit": 3}
    assert from_texts("x", TAKES, ["limit=3"], partly=True) == {"limit": 3}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["phrase"], "'phrase' isn't NAME=VALUE"),
        (["phrase=a", "phrase=b", "names=x"], "phrase was given 2 times"),
        (["phrase=a", "names=x", "limit=many"], "limit is 'many'. Give a whole number"),
        (["phrase=a", "names=x", "limit=2.5"], "limit is '2.5'. Give a whole number"),
        (["names=x"], "needs phrase"),
        (["phrase=a", "names=x", "other=1"], "takes no other"),
    ],
)
def test_texts_that_are_wrong_are_refused(texts: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_texts("x", TAKES, texts)
