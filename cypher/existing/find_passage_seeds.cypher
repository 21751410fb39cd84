// Passages of a graph of others nearest to a question, and the lowest score of any passage: over-fetched from the index,
// scored exactly.
// params: embedding (vector), negated (vector), fetch (int), limit (int)
// returns: key (str), score (float, cosine), lowest (float, cosine)
// mode: read
// names: label, index, vector
CYPHER 25
CALL () {
  MATCH (far:$label(passage))
    SEARCH far IN (VECTOR INDEX $index(passage) FOR $negated LIMIT $fetch)
  RETURN min(2 * vector.similarity.cosine(far.$vector(passage), $embedding) - 1) AS lowest
}
MATCH (passage:$label(passage))
  SEARCH passage IN (VECTOR INDEX $index(passage) FOR $embedding LIMIT $fetch)
WITH elementId(passage) AS key, 2 * vector.similarity.cosine(passage.$vector(passage), $embedding) - 1 AS score, lowest
ORDER BY score DESC, key LIMIT $limit
RETURN key, score, lowest
