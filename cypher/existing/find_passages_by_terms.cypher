// Passages of a graph of others by BM25: the best `fetch` of a full-text index, which may hold nodes of other labels.
// params: index (str), terms (str, no character of Lucene's syntax in it), fetch (int), limit (int)
// returns: id (str), title (str), text (str), score (float, BM25), row (null), properties (map)
// mode: read
// names: label, id, title, text, metadata
CYPHER 25
CALL db.index.fulltext.queryNodes($index, $terms, {limit: $fetch}) YIELD node AS passage, score
WHERE passage:$label(passage)
WITH passage, score, $id(passage) AS id ORDER BY score DESC, id LIMIT $limit
RETURN id, $title(passage) AS title, $text(passage) AS text, score, null AS row, $metadata(passage) AS properties
ORDER BY score DESC, id
