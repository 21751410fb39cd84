// All passages with a vector, by nearness to a question: reads the whole namespace, for comparisons with the paper.
// params: namespace (str), embedding (vector)
// returns: key (str), score (float, cosine)
// mode: read
// filter: passage
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.embedding IS NOT NULL /*filter AND $where(passage) */
RETURN passage.key AS key, 2 * vector.similarity.cosine(passage.embedding, $embedding) - 1 AS score
ORDER BY score DESC, key
