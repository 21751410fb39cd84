"""Long texts in parts."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipporag_neo4j.domain import Passage
from hipporag_neo4j.indexing.split_text import split_passage, split_text

_PIECES = st.sampled_from(
    [
        *" \n\t.!?。！？\"'«»()“”،؟।…-1aAß中나👩\u200d\u0301\x00\x1c\x85\u2028\r",
        "\n\n",
        "Dr. ",
        "e.g. ",
        "word ",
        ". ",
        "。 ",
    ]
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=300).map("".join))


def _without_space(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=400, deadline=None)
@given(_TEXTS, st.integers(1, 80))
def test_nothing_is_lost_and_no_part_is_too_long(text: str, size: int) -> None:
    parts = list(split_text(text, size))
    assert _without_space("".join(parts)) == _without_space(text)
    assert all(0 < len(part) <= size for part in parts)
    at = 0
    for part in parts:  # each stands in the text as it is, in order
        at = text.index(part, at) + len(part)


@pytest.mark.parametrize(
    ("text", "size", "parts"),
    [
        ("Dr. Lee of Acme Inc. left. He paid $3.50. Then, e.g. today, he slept.", 45,
         ["Dr. Lee of Acme Inc. left. He paid $3.50.", "Then, e.g. today, he slept."]),
        ("他来了。你好吗？我很好！今天天气不错。", 10, ["他来了。你好吗？", "我很好！", "今天天气不错。"]),
        ("나는 학교에 갔다. 오늘은 날씨가 좋다! 정말?", 24, ["나는 학교에 갔다.", "오늘은 날씨가 좋다! 정말?"]),
        ("ذهب الولد إلى المدرسة. هل أنت بخير؟ نعم.", 24, ["ذهب الولد إلى المدرسة.", "هل أنت بخير؟ نعم."]),
        ("def f(x):\n    return x.y\n\nfoo.bar(1.5)\nbaz(2)", 30,
         ["def f(x):\n    return x.y", "foo.bar(1.5)\nbaz(2)"]),
        ("one two three four five", 12, ["one two", "three", "four five"]),
        ("a" * 25, 10, ["a" * 10, "a" * 10, "a" * 5]),
        ("First one here. Second.\n\nThird one. Fourth one.", 40,
         ["First one here. Second.", "Third one. Fourth one."]),
    ],
    ids=["english", "chinese", "korean", "arabic", "code", "words", "none", "paragraph"],
)  # fmt: skip
def test_parts_end_where_a_reader_would_pause(text: str, size: int, parts: list[str]) -> None:
    assert list(split_text(text, size)) == parts


def test_a_letter_keeps_its_marks() -> None:
    family = "👩\u200d👩\u200d👧"
    assert list(split_text(family * 3, 7)) == [family] * 3
    assert list(split_text("e\u0301" * 4, 3)) == ["e\u0301"] * 4


def test_the_last_two_parts_are_about_the_same() -> None:
    sizes = [len(part) for part in split_text("This is a sentence of words. " * 60, 1000)]
    assert sum(sizes) > 1600
    assert max(sizes) - min(sizes) < 60


def test_a_short_passage_stays_as_it_is() -> None:
    passage = Passage(text=" Short. ", title="t")
    assert split_passage(passage, 8) == (passage,)


def test_a_part_knows_its_document() -> None:
    passage = Passage(text="One is here. Two is here.", id="doc.md", title="t", metadata={"a": 1})
    assert split_passage(passage, 15) == (
        Passage("One is here.", "doc.md#1", "t", {"a": 1}, "doc.md", 1),
        Passage("Two is here.", "doc.md#2", "t", {"a": 1}, "doc.md", 2),
    )
    parts = split_passage(Passage(text="One is here. Two is here."), 15)
    assert {len(part.document or "") for part in parts} == {64}


@pytest.mark.parametrize(
    "unit",
    ["a", "中", "word ", "他来了。", "Is it so? Yes. ", "Dr. ", "«a. ", "x = y.z(1)\n", '"', ".", "a\n\n", "\u0301"],
)
@pytest.mark.parametrize("size", [1500, 50_000])
def test_a_megabyte_takes_a_moment(unit: str, size: int) -> None:
    text = unit * (1_000_000 // len(unit.encode()))
    begin = time.process_time()
    parts = list(split_text(text, size))
    assert time.process_time() - begin < 2
    assert len(parts) >= len(text.strip()) // size


def test_size_is_positive() -> None:
    with pytest.raises(ValueError, match="size is 0"):
        list(split_text("a", 0))
