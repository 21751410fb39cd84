// Passages by BM25 over title and text.
// params: namespace (str), terms (str, Lucene syntax, already escaped), limit (int)
// returns: id (str), title (str), text (str), score (float, BM25), row (int or null), properties (map)
// mode: read
CYPHER 25
CALL db.index.fulltext.queryNodes('hipporag_passage_text', $terms, {limit: $limit}) YIELD node AS passage, score
WHERE passage.namespace = $namespace
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
ORDER BY score DESC, id
