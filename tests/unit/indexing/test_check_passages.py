"""What makes a passage acceptable, and what identifies it."""

import datetime
import decimal
import hashlib
from dataclasses import replace

import numpy as np
import pytest

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.errors import InputError
from hipporag_neo4j.indexing.check_passages import (
    check_metadata,
    check_passage,
    check_passages,
    content_hash,
    passage_id,
    text_hash,
)


@pytest.mark.parametrize(
    "text",
    [
        "Tabs\tand\nlines\r\n",
        "Nul \x00, bell \x07, escape \x1b, form feed \x0c",
        "👩\u200d👩\u200d👧 and 🏽",
        "שלום עולם \u202e",
        "한국어와 中文。",
    ],
)
def test_text_stays_as_it_is(text: str) -> None:
    passage = Passage(text=text, title=text, metadata={"said": text})
    assert check_passage(passage, "here") == passage


@pytest.mark.parametrize("text", ["", "   ", "\n\t\r\n", "\u200b\u200b", "\ufeff", "\x00\x01"])
def test_text_without_a_visible_character_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^file\.md: the text is empty"):
        check_passage(Passage(text=text), "file.md")


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        (Passage(text=5), "the text is a whole number, not a text"),  # type: ignore[arg-type]
        (Passage(text="a\ud800b"), r"the text holds half of a surrogate pair \(U\+D800\) at character 1"),
        (Passage(text="a", title="\udfff"), r"the title holds half"),
        (Passage(text="a", title=None), "the title is null"),  # type: ignore[arg-type]
        (Passage(text="a", id=""), "the id is empty"),
        (Passage(text="a", id="a\nb"), "the id is .* with control characters"),
        (Passage(text="a", id=1.5), "the id is a number"),  # type: ignore[arg-type]
        (Passage(text="a", metadata={"a": "\udc00"}), "metadata.a holds half"),
        (Passage(text="a", part=True), "the part is a boolean"),
    ],
)
def test_wrong_fields_are_named(passage: Passage, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_passage(passage, "here")


def test_metadata_becomes_plain() -> None:
    given = {
        "none": None,
        "nan": float("nan"),
        "day": datetime.date(2024, 2, 29),
        "moment": datetime.datetime(2024, 2, 29, 12, 0, tzinfo=datetime.UTC),
        "tuple": ("a", "b"),
        "numpy": np.int64(3),
        "mixed": [1, 2.5],
        "empty": [],
        "yes": True,
    }
    assert check_metadata(given, "here") == {
        "day": "2024-02-29",
        "moment": "2024-02-29T12:00:00+00:00",
        "tuple": ["a", "b"],
        "numpy": 3,
        "mixed": [1.0, 2.5],
        "empty": [],
        "yes": True,
    }


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"author": {"name": "Ada"}}, "here: metadata.author is an object. Metadata is flat"),
        ({"tags": ["a", ["b"]]}, r"metadata.tags\[1\] is a list"),
        ({"tags": ["a", 1]}, "metadata.tags mixes a text, a whole number"),
        ({"tags": [True, 1]}, "metadata.tags mixes a boolean, a whole number"),
        ({"tags": ["a", None]}, "metadata.tags mixes a text, null"),
        ({"tags": [None]}, "metadata.tags mixes null"),
        ({"n": 2**63}, "metadata.n is 9223372036854775808, more than 64 bits"),
        ({"n": float("inf")}, "metadata.n is infinite"),
        ({"n": decimal.Decimal(1)}, "metadata.n is of type Decimal"),
        ({"": 1}, "the metadata name '' is empty"),
        ({"a\x00": 1}, "control characters"),
        ({1: 1}, "the metadata name 1 is a whole number"),
        ([], "the metadata is a list"),
    ],
)
def test_metadata_that_could_not_be_stored_is_refused(metadata: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_metadata(metadata, "here")  # type: ignore[arg-type]


def test_problems_are_raised_or_reported() -> None:
    passages = [Passage(text="a"), Passage(text=" "), Passage(text="b")]
    with pytest.raises(InputError, match=r"^Passage 2: the text is empty"):
        list(check_passages(passages))
    problems: list[InputError] = []
    assert [passage.text for passage in check_passages(passages, problems.append)] == ["a", "b"]
    assert len(problems) == 1


def test_id_is_the_given_one_else_made_from_title_and_text() -> None:
    assert passage_id(Passage(text="text", id="given")) == "given"
    made = passage_id(Passage(text="text", title="title", metadata={"a": 1}))
    assert made == passage_id(Passage(text="text", title="title"))
    assert made == hashlib.sha256(b'["title", "text"]').hexdigest()
    assert made != passage_id(Passage(text="titletext", title=""))
    assert passage_id(Passage(text="bc", title="a")) != passage_id(Passage(text="c", title="ab"))


def test_content_hash_changes_with_all_that_is_stored() -> None:
    passage = Passage(text="text", title="title", metadata={"a": 1, "b": [2]}, document="d", part=1)
    changed = [
        replace(passage, text="other"),
        replace(passage, title="other"),
        replace(passage, metadata={"a": 1}),
        replace(passage, metadata={"a": True, "b": [2]}),
        replace(passage, metadata={"a": 1.0, "b": [2]}),
        replace(passage, part=2),
        replace(passage, document="e"),
    ]
    assert len({content_hash(each) for each in [passage, *changed]}) == len(changed) + 1
    assert content_hash(replace(passage, metadata={"b": [2], "a": 1})) == content_hash(passage)
    assert text_hash(replace(passage, metadata={})) == text_hash(passage)


def test_what_holds_no_passages_is_named() -> None:
    with pytest.raises(InputError, match="The passages are null"):
        list(check_passages(None))  # type: ignore[arg-type]
