// All passages of a graph of others with a vector, by nearness to a question: reads every one, as the paper does.
// params: embedding (vector)
// returns: key (str), score (float, cosine)
// mode: read
// names: label, vector
CYPHER 25
MATCH (passage:$label(passage)) WHERE passage.$vector(passage) IS NOT NULL
RETURN elementId(passage) AS key, 2 * vector.similarity.cosine(passage.$vector(passage), $embedding) - 1 AS score
ORDER BY score DESC, key
