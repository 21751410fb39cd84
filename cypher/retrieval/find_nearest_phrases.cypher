// For each entity of a question the one phrase with the highest cosine, an equal name first: over-fetched from the
// index, scored exactly.
// params: namespace (str), entities (list of {name, key, embedding}), fetch (int)
// returns: entity (str), key (str), phrase (str), similarity (float, cosine), passages (int, that mention the phrase),
//          seen (int, phrases among those found that a passage mentions)
// mode: read
// filter: passage
CYPHER 25
UNWIND $entities AS entity
CALL (entity) {
  MATCH (near:Phrase)
    SEARCH near IN (VECTOR INDEX hipporag_phrase_embedding FOR entity.embedding WHERE near.namespace = $namespace LIMIT $fetch)
  RETURN near AS found
  UNION
  MATCH (same:Phrase {key: entity.key, namespace: $namespace})
  RETURN same AS found
}
WITH entity, found, found.key AS key, 2 * vector.similarity.cosine(found.embedding, entity.embedding) - 1 AS similarity
WHERE EXISTS { (found)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */ }
ORDER BY key = entity.key DESC, similarity DESC, key
WITH entity, collect({phrase: found, similarity: similarity})[0] AS nearest, count(*) AS seen
WITH entity, nearest.phrase AS phrase, nearest.similarity AS similarity, seen
RETURN entity.name AS entity, phrase.key AS key, phrase.name AS phrase, similarity,
       COUNT { (phrase)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */ } AS passages,
       seen
