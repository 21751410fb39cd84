"""No character or word of Lucene's syntax gets from a question into a query."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hipporag_neo4j.keys import search_scope
from hipporag_neo4j.retrieval.bm25 import lucene_terms

QUERY = re.compile(r"\+scope:(\w+)\^0 \+\(([^()]*)\)")


@given(st.text())
@example('title:x AND (NOT "y" OR z~2^3) && || ! {a TO b] \\ / * ? + -')
@example("AND")
@example("İSTANBUL ᾈ ǅ")
def test_only_lower_case_words_are_left(question: str) -> None:
    terms = lucene_terms(question, "team_a")
    if terms is None:
        assert not re.search(r"\w", question.lower())
        return
    found = QUERY.fullmatch(terms)
    assert found
    assert found[1] == search_scope("team_a")
    words = found[2].split(" ")
    assert all(re.fullmatch(r"\w+", word) for word in words)
    assert all(word == word.lower() for word in words)
    assert not {"AND", "OR", "NOT", "TO"} & set(words)
    assert len(words) == len(set(words))


def test_words_come_once_in_order() -> None:
    terms = lucene_terms("Who is who? It's Turing's 2nd_idea", "n")
    assert terms == f"+scope:{search_scope('n')}^0 +(who is it s turing 2nd_idea)"


def test_a_question_without_a_word_has_no_query() -> None:
    assert lucene_terms("?!… 🍕", "n") is None
