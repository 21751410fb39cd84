// Phrases nearest to a question, those that a passage mentions: over-fetched from the index, scored exactly.
// params: namespace (str), embedding (vector), fetch (int), limit (int)
// returns: key (str), phrase (str), similarity (float, cosine), passages (int, that mention the phrase),
//          seen (int, phrases among those fetched that a passage mentions)
// mode: read
// filter: passage
CYPHER 25
MATCH (near:Phrase)
  SEARCH near IN (VECTOR INDEX hipporag_phrase_embedding FOR $embedding WHERE near.namespace = $namespace LIMIT $fetch)
WITH near AS near_by, COUNT {
  (near)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
} AS passages
WHERE passages > 0
WITH collect({phrase: near_by, passages: passages}) AS found
UNWIND found AS one
WITH one.phrase AS phrase, one.passages AS passages, size(found) AS seen
WITH phrase, passages, seen, 2 * vector.similarity.cosine(phrase.embedding, $embedding) - 1 AS similarity
ORDER BY similarity DESC, phrase.key LIMIT $limit
RETURN phrase.key AS key, phrase.name AS phrase, similarity, passages, seen ORDER BY similarity DESC, key
