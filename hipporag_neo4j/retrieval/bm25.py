"""Mode `bm25`: passages by the words they share with the question, over title and text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.keys import search_scope
from hipporag_neo4j.retrieval.inquiry import Inquiry
from hipporag_neo4j.retrieval.rank_passages import ranked_passage

_WORD = re.compile(r"\w+")
_LONGEST_TERM = 255
"""Where Lucene's tokenizer cuts a word."""
_MOST_TERMS = 330
"""Terms of a question that count; Lucene refuses more than 1,024 clauses, three of which are a term's fields."""

ALL = 2**31 - 1


async def search_by_terms(inquiry: Inquiry) -> tuple[RankedPassage, ...]:
    """The best passages by BM25; none when the question holds no word.

    The index knows no metadata: with a filter it gives all it finds, of which the best allowed ones count.
    """
    words = lucene_words(inquiry.question)
    if not words:
        return ()
    with inquiry.stages.time("search"):
        rows = await inquiry.run(
            "retrieval/find_passages_by_terms",
            scope=search_scope(inquiry.graph.namespace),
            terms=words,
            fetch=ALL if inquiry.where else inquiry.limit,
            limit=inquiry.limit,
        )
    return tuple(ranked_passage(row) for row in rows)


def lucene_words(question: str) -> str:
    """A Lucene query for any of the question's words; empty if there is none.

    Only letters, digits and underscores are kept, in lower case: no character or word of Lucene's syntax is left.
    """
    return " ".join(_first_terms(dict.fromkeys(_WORD.findall(question.lower()))))


def _first_terms(words: Iterable[str]) -> Iterator[str]:
    """The first words that give at most `_MOST_TERMS` terms, the last one cut if need be.

    Lucene takes a run of Latin letters for one term and a run of Chinese ones for many: every word with characters
    other than lower-case and ASCII ones is counted by its characters, which is never too few.
    """
    left = _MOST_TERMS
    for word in words:
        if left == 0:
            return
        if all(c.isascii() or unicodedata.category(c) == "Ll" for c in word):
            left -= 1
            yield word[:_LONGEST_TERM]
        else:
            kept = word[:left]
            left -= len(kept)
            yield kept
