"""Normalisation by hand, in several scripts, and the texts that are embedded."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hipporag_neo4j.text import content_key, fact_text, is_short, normalise, passage_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alan Turing", "alan turing"),
        ("  Alan\t\nTuring ", "alan turing"),
        ("G. Stanley Hall", "g stanley hall"),
        ("rock-'n'-roll", "rock n roll"),
        ("snake_case", "snake case"),
        ("1,234.5", "1 234 5"),
        ("", ""),
        ("?!… —", ""),
        ("🍕", ""),
        ("pizza 🍕 napoli", "pizza napoli"),
        ("한국어", "한국어"),
        ("세종대왕(世宗大王)", "세종대왕 世宗大王"),
        ("中文，文字。", "中文 文字"),
        ("مُحَمَّد، بن", "مُحَمَّد بن"),
        ("Straße", "straße"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("ﬁne Ⅳ ½ ②", "fine iv 1 2 2"),
        ("ＦＵＬＬ　ＷＩＤＴＨ", "full width"),
        ("नमस्ते", "नमस्ते"),
        ("a\u200bb\u0000c", "a b c"),
    ],
)
def test_unicode(text: str, expected: str) -> None:
    assert normalise(text, "unicode") == unicodedata.normalize("NFKC", expected)


def test_unicode_composes_so_that_two_spellings_meet() -> None:
    assert normalise("Cafe\u0301", "unicode") == normalise("Caf\u00e9", "unicode") == "caf\u00e9"
    assert normalise("\u1112\u1161\u11ab", "unicode") == "한"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alan Turing", "alan turing"),
        ("G. Stanley Hall", "g  stanley hall"),
        ("rock-'n'-roll", "rock  n  roll"),
        ("Café", "caf"),
        ("1,234", "1 234"),
        ("한국어", ""),
        ("中文 abc", "abc"),
        ("🍕", ""),
        ("a\tb", "a b"),
        ("  x  ", "x"),
    ],
)
def test_paper(text: str, expected: str) -> None:
    assert normalise(text, "paper") == expected


@given(st.text())
def test_unicode_leaves_single_spaces_between_letters_marks_and_numbers(text: str) -> None:
    result = normalise(text, "unicode")
    assert result == " ".join(result.split(" ")).strip()
    assert "  " not in result
    assert all(c == " " or unicodedata.category(c)[0] in "LMN" for c in result)


@given(st.text())
def test_paper_leaves_ascii_alone_and_nothing_else(text: str) -> None:
    result = normalise(text, "paper")
    assert all(c == " " or (c.isascii() and c.isalnum()) for c in result)
    assert normalise(result, "paper") == result


@given(st.text())
@example("\u03d4\u0301")
@example("\u0391\u0345\u0301")
def test_unicode_is_stable(text: str) -> None:
    """A phrase that came out of a graph finds itself: normalising again changes nothing."""
    once = normalise(text, "unicode")
    assert normalise(once, "unicode") == once


@pytest.mark.parametrize(
    ("phrase", "short"), [("", True), ("us", True), ("a b", True), ("usa", False), ("a b c", False), ("中文", True)]
)
def test_short_counts_letters_and_digits(phrase: str, short: bool) -> None:
    assert is_short(phrase) is short


def test_embedded_texts() -> None:
    assert fact_text("alan turing", "born in", "it's") == "('alan turing', 'born in', \"it's\")"
    assert passage_text("Title", "text") == "Title\ntext"
    assert passage_text("", "text") == "text"


def test_keys_tell_parts_apart() -> None:
    assert content_key("a", "bc") != content_key("ab", "c") != content_key("abc")
    assert content_key("1:a", "") != content_key("", "1:a")
    assert len(content_key("")) == 32
    assert content_key("team", "x") == "f1ff5f01ebf202ca4e74706b5375b1bc"
