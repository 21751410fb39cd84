// Phrases nearest to a question, those that a passage mentions: over-fetched from the index, scored exactly.
// params: namespace (str), embedding (vector), fetch (int), limit (int)
// returns: key (str), phrase (str), similarity (float, cosine), passages (int, that mention the phrase)
// mode: read
CYPHER 25
MATCH (near:Phrase)
  SEARCH near IN (VECTOR INDEX hipporag_phrase_embedding FOR $embedding WHERE near.namespace = $namespace LIMIT $fetch)
WITH near AS phrase, 2 * vector.similarity.cosine(near.embedding, $embedding) - 1 AS similarity
WITH phrase, similarity, COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
WHERE passages > 0
ORDER BY similarity DESC, phrase.key LIMIT $limit
RETURN phrase.key AS key, phrase.name AS phrase, similarity, passages ORDER BY similarity DESC, key
