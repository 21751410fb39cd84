// Facts that passages state and that were not shown before, nearest to a question first.
// params: namespace (str), embedding (vector), passages (list of ids), shown (list of fact keys), limit (int)
// returns: key (str), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), score (float, cosine)
// mode: read
// filter: passage, p
CYPHER 25
MATCH (passage:Passage) WHERE passage.id IN $passages AND passage.namespace = $namespace /*filter AND $where(passage) */
MATCH (passage)-[:MENTIONS]->(:Phrase)-[fact:RELATES {namespace: $namespace}]->(:Phrase)
WHERE passage.id IN fact.passages AND NOT fact.key IN $shown
WITH DISTINCT fact
WITH fact, 2 * vector.similarity.cosine(fact.embedding, $embedding) - 1 AS score
ORDER BY score DESC, fact.key LIMIT $limit
WITH fact, score, startNode(fact) AS subject, endNode(fact) AS object
RETURN fact.key AS key, subject.name AS subject, fact.predicate AS predicate, object.name AS object,
       subject.key AS subject_key, object.key AS object_key,
       COUNT { (subject)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS subject_passages,
       COUNT { (object)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS object_passages, score
ORDER BY score DESC, key
