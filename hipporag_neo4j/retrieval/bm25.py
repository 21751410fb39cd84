"""Mode `bm25`: passages by the words they share with the question, over title and text."""

import re

from hipporag_neo4j.domain import RankedPassage
from hipporag_neo4j.keys import search_scope
from hipporag_neo4j.retrieval.rank_passages import ranked_passage
from hipporag_neo4j.retrieval.sources import Sources
from hipporag_neo4j.schema import Graph
from hipporag_neo4j.timing import Stages

_WORD = re.compile(r"\w+")
_MOST_TERMS = 500
"""Distinct words of a question that count; Lucene refuses more than 1,024 clauses."""


async def search_by_terms(
    sources: Sources, graph: Graph, question: str, limit: int, stages: Stages
) -> tuple[RankedPassage, ...]:
    """The `limit` best passages by BM25; none when the question holds no word."""
    terms = lucene_terms(question, graph.namespace)
    if terms is None:
        return ()
    with stages.time("search"):
        rows = await sources.run(
            "retrieval/find_passages_by_terms", namespace=graph.namespace, terms=terms, limit=limit
        )
    return tuple(ranked_passage(row) for row in rows)


def lucene_terms(question: str, namespace: str) -> str | None:
    """A Lucene query for any of the question's words within the namespace, None if there is no word.

    Only letters, digits and underscores are kept, in lower case: no character or word of Lucene's syntax is left. The
    namespace's own term must match and doesn't count in the score.
    """
    words = list(dict.fromkeys(_WORD.findall(question.lower())))[:_MOST_TERMS]
    if not words:
        return None
    return f"+scope:{search_scope(namespace)}^0 +({' '.join(words)})"
