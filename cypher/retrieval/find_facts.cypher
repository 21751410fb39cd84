// Facts nearest to a question, and the lowest score of any fact: over-fetched from the index, scored exactly. The best
// matches of the negated vector are the worst ones of the vector.
// params: namespace (str), embedding (vector), negated (vector), fetch (int), limit (int)
// returns: key (str), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), score (float, cosine), lowest (float, cosine)
// mode: read
CYPHER 25
CALL () {
  MATCH ()-[far:RELATES]->()
    SEARCH far IN (VECTOR INDEX hipporag_fact_embedding FOR $negated WHERE far.namespace = $namespace LIMIT 100)
  RETURN min(2 * vector.similarity.cosine(far.embedding, $embedding) - 1) AS lowest
}
MATCH ()-[fact:RELATES]->()
  SEARCH fact IN (VECTOR INDEX hipporag_fact_embedding FOR $embedding WHERE fact.namespace = $namespace LIMIT $fetch)
WITH fact, lowest, 2 * vector.similarity.cosine(fact.embedding, $embedding) - 1 AS score
ORDER BY score DESC, fact.key LIMIT $limit
WITH fact, lowest, score, startNode(fact) AS subject, endNode(fact) AS object
RETURN fact.key AS key, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       subject.key AS subject_key, object.key AS object_key, COUNT { (subject)<-[:MENTIONS]-(:Passage) } AS subject_passages,
       COUNT { (object)<-[:MENTIONS]-(:Passage) } AS object_passages, score, lowest
ORDER BY score DESC, key
