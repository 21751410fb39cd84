// Passages nearest to a question: over-fetched from the index, scored exactly.
// params: namespace (str), embedding (vector), fetch (int), limit (int)
// returns: id (str), title (str), text (str), score (float, cosine), row (int or null), properties (map)
// mode: read
// filter: passage
CYPHER 25
MATCH (passage:Passage)
  SEARCH passage IN (VECTOR INDEX hipporag_passage_embedding/*filter _filterable*/ FOR $embedding
    WHERE passage.namespace = $namespace /*filter AND $where(passage) */ LIMIT $fetch)
WITH passage, 2 * vector.similarity.cosine(passage.embedding, $embedding) - 1 AS score
ORDER BY score DESC, passage.id LIMIT $limit
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
