// Phrases nearest to a phrase by their vectors, synonyms or not. What another synonym threshold would join.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'tamber school'), limit (int, default 10, at
//         most 199)
// returns: near (str), cosine (float), synonym (bool), passages (int, that mention it)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace, name: $phrase})
CALL (phrase) {
  MATCH (candidate:Phrase)
    SEARCH candidate IN (
      VECTOR INDEX hipporag_phrase_embedding FOR phrase.embedding WHERE candidate.namespace = $namespace LIMIT 200
    )
  RETURN candidate AS near, 2 * vector.similarity.cosine(phrase.embedding, candidate.embedding) - 1 AS cosine
}
WITH phrase, near, cosine WHERE near <> phrase
RETURN near.name AS near, round(cosine, 3) AS cosine, EXISTS { (phrase)-[:SYNONYM]-(near) } AS synonym,
       COUNT { (near)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
ORDER BY cosine DESC, near LIMIT $limit
