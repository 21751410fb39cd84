// Passages of a graph of others nearest to a question: over-fetched from the index, scored exactly.
// params: embedding (vector), fetch (int), limit (int)
// returns: id (str), title (str), text (str), score (float, cosine), row (null), properties (map)
// mode: read
// names: label, index, vector, id, title, text, metadata
CYPHER 25
MATCH (passage:$label(passage))
  SEARCH passage IN (VECTOR INDEX $index(passage) FOR $embedding LIMIT $fetch)
WITH passage, $id(passage) AS id, 2 * vector.similarity.cosine(passage.$vector(passage), $embedding) - 1 AS score
ORDER BY score DESC, id LIMIT $limit
RETURN id, $title(passage) AS title, $text(passage) AS text, score, null AS row, $metadata(passage) AS properties
ORDER BY score DESC, id
