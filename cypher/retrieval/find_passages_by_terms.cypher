// Passages by BM25 over title and text: the best `fetch` of the index, of which those that don't count are left out.
// The namespace's own term must match and doesn't count in the score.
// params: namespace (str), scope (str, the namespace's term), terms (str, no character of Lucene's syntax in it), fetch (int),
//         limit (int)
// returns: id (str), title (str), text (str), score (float, BM25), row (int or null), properties (map)
// mode: read
// filter: passage
CYPHER 25
WITH '+scope:' + $scope + '^0 +(' + $terms + ')' AS query
CALL db.index.fulltext.queryNodes('hipporag_passage_text', query, {limit: $fetch}) YIELD node AS passage, score
WHERE passage.namespace = $namespace /*filter AND $where(passage) */
WITH passage, score ORDER BY score DESC, passage.id LIMIT $limit
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
ORDER BY score DESC, id
