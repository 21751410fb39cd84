// Passages nearest to a question, and the lowest score of any passage: over-fetched from the index, scored exactly.
// params: namespace (str), embedding (vector), negated (vector), fetch (int), limit (int)
// returns: key (str), score (float, cosine), lowest (float, cosine)
// mode: read
// filter: far, passage
CYPHER 25
CALL () {
  MATCH (far:Passage)
    SEARCH far IN (VECTOR INDEX hipporag_passage_embedding/*filter _filterable*/ FOR $negated
      WHERE far.namespace = $namespace /*filter AND $where(far) */ LIMIT 50)
  RETURN min(2 * vector.similarity.cosine(far.embedding, $embedding) - 1) AS lowest
}
MATCH (passage:Passage)
  SEARCH passage IN (VECTOR INDEX hipporag_passage_embedding/*filter _filterable*/ FOR $embedding
    WHERE passage.namespace = $namespace /*filter AND $where(passage) */ LIMIT $fetch)
WITH passage.key AS key, 2 * vector.similarity.cosine(passage.embedding, $embedding) - 1 AS score, lowest
ORDER BY score DESC, key LIMIT $limit
RETURN key, score, lowest
