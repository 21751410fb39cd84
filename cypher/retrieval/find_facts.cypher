// Facts nearest to a question, and the lowest score of any fact: over-fetched from the index, scored exactly. The best
// matches of the negated vector are the worst ones of the vector; few do, but with a filter the one that is wanted may not
// be among the first.
// params: namespace (str), embedding (vector), negated (vector), fetch (int), limit (int)
// returns: key (str), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), score (float, cosine), lowest (float, cosine; null where a filter
//          allows none of the worst), seen (int, facts among those fetched that a filter allows)
// mode: read
// filter: passage, p
CYPHER 25
CALL () {
  MATCH ()-[far:RELATES]->()
    SEARCH far IN (VECTOR INDEX hipporag_fact_embedding FOR $negated WHERE far.namespace = $namespace
      LIMIT $fetch / 3 /*filter * 3 */)
  WITH far AS worst
  /*filter WHERE EXISTS { UNWIND worst.passages AS id
                          MATCH (passage:Passage {namespace: $namespace, id: id}) WHERE $where(passage) } */
  RETURN min(2 * vector.similarity.cosine(worst.embedding, $embedding) - 1) AS lowest
}
MATCH ()-[near:RELATES]->()
  SEARCH near IN (VECTOR INDEX hipporag_fact_embedding FOR $embedding WHERE near.namespace = $namespace LIMIT $fetch)
WITH near AS best, lowest
/*filter WHERE EXISTS { UNWIND best.passages AS id
                        MATCH (passage:Passage {namespace: $namespace, id: id}) WHERE $where(passage) } */
WITH collect(best) AS found, lowest
UNWIND found AS fact
WITH fact, lowest, size(found) AS seen, 2 * vector.similarity.cosine(fact.embedding, $embedding) - 1 AS score
ORDER BY score DESC, fact.key LIMIT $limit
WITH fact, lowest, seen, score, startNode(fact) AS subject, endNode(fact) AS object
RETURN fact.key AS key, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       subject.key AS subject_key, object.key AS object_key,
       COUNT { (subject)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS subject_passages,
       COUNT { (object)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS object_passages,
       score, lowest, seen
ORDER BY score DESC, key
