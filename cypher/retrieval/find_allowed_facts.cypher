// Facts nearest to a question among those that allowed passages state, and the lowest score of these: looks at every one.
// params: namespace (str), embedding (vector), limit (int)
// returns: key (str), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), score (float, cosine), lowest (float, cosine)
// mode: read
// filter: passage, p
CYPHER 25
CALL () {
  MATCH (passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
  MATCH (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
  WHERE passage.id IN fact.passages
  WITH DISTINCT fact WHERE fact.embedding IS NOT NULL
  WITH collect({fact: fact, score: 2 * vector.similarity.cosine(fact.embedding, $embedding) - 1}) AS scored
  RETURN scored, reduce(least = 1.0, one IN scored | CASE WHEN one.score < least THEN one.score ELSE least END) AS lowest
}
UNWIND scored AS one
WITH one.fact AS fact, one.score AS score, lowest
ORDER BY score DESC, fact.key LIMIT $limit
WITH fact, lowest, score, startNode(fact) AS subject, endNode(fact) AS object
RETURN fact.key AS key, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       subject.key AS subject_key, object.key AS object_key,
       COUNT { (subject)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS subject_passages,
       COUNT { (object)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS object_passages,
       score, lowest
ORDER BY score DESC, key
