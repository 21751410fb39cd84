"""No character or word of Lucene's syntax gets from a question into a query."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hipporag_neo4j.retrieval.bm25 import lucene_words


@given(st.text())
@example('title:x AND (NOT "y" OR z~2^3) && || ! {a TO b] \\ / * ? + -')
@example("AND")
@example("İSTANBUL ᾈ ǅ")
def test_only_lower_case_words_are_left(question: str) -> None:
    query = lucene_words(question)
    assert bool(query) == bool(re.search(r"\w", question.lower()))
    words = query.split(" ") if query else []
    assert all(re.fullmatch(r"\w+", word) for word in words)
    assert all(word == word.lower() for word in words)
    assert not {"AND", "OR", "NOT", "TO"} & set(words)
    assert len(words) == len(set(words))


def test_words_come_once_in_order() -> None:
    assert lucene_words("Who is who? It's Turing's 2nd_idea") == "who is it s turing 2nd_idea"


def test_a_question_without_a_word_has_no_query() -> None:
    assert lucene_words("?!… 🍕") == ""


def test_no_question_has_more_terms_than_lucene_takes() -> None:
    def words(question: str) -> list[str]:
        return lucene_words(question).split(" ")

    assert words(" ".join(f"w{i}" for i in range(2000))) == [f"w{i}" for i in range(330)]
    assert words("中" * 2000) == ["中" * 330]
    assert words("who is " + "中文 " + "文" * 2000) == ["who", "is", "中文", "文" * 326]
    assert words("a" * 1000 + " b") == ["a" * 255, "b"]
