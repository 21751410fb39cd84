// For each of several texts the phrases nearest to it among those that allowed passages mention: looks at every one.
// params: namespace (str), entities (list of {name, embedding}), limit (int, phrases for each)
// returns: entity (str), key (str), phrase (str), similarity (float, cosine), passages (int, that mention the phrase)
// mode: read
// filter: passage, p
CYPHER 25
UNWIND $entities AS entity
CALL (entity) {
  MATCH (passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
  MATCH (passage)-[:MENTIONS]->(phrase:Phrase {namespace: $namespace})
  WITH DISTINCT phrase WHERE phrase.embedding IS NOT NULL
  WITH phrase, 2 * vector.similarity.cosine(phrase.embedding, entity.embedding) - 1 AS similarity
  ORDER BY similarity DESC, phrase.key LIMIT $limit
  RETURN phrase, similarity
}
RETURN entity.name AS entity, phrase.key AS key, phrase.name AS phrase, similarity,
       COUNT { (phrase)<-[:MENTIONS]-(p:Passage {namespace: $namespace}) /*filter WHERE $where(p) */ } AS passages
ORDER BY entity, similarity DESC, key
