// For each text the phrases of one kind of a graph of others with the highest cosine, those that a passage mentions:
// over-fetched from the index, scored exactly.
// params: entities (list of {name, embedding}), fetch (int), limit (int, phrases for each)
// returns: entity (str), key (str), phrase (str), similarity (float, cosine), passages (int, that mention the phrase),
//          seen (int, phrases among those found that a passage mentions)
// mode: read
// names: label, index, vector, name, path
CYPHER 25
UNWIND $entities AS entity
CALL (entity) {
  MATCH (near:$label(phrase))
    SEARCH near IN (VECTOR INDEX $index(phrase) FOR entity.embedding LIMIT $fetch)
  WITH near AS phrase, COUNT {
    /*each mention UNION
    MATCH (passage:$label(passage))$path(mention)(near) RETURN DISTINCT passage */
  } AS passages
  WHERE passages > 0 AND $name(phrase) IS NOT NULL
  WITH phrase, passages, 2 * vector.similarity.cosine(phrase.$vector(phrase), entity.embedding) - 1 AS similarity
  ORDER BY similarity DESC, $name(phrase), elementId(phrase)
  WITH collect({phrase: phrase, passages: passages, similarity: similarity}) AS found
  UNWIND found[..$limit] AS one
  RETURN one, size(found) AS seen
}
WITH entity, one.phrase AS phrase, one.passages AS passages, one.similarity AS similarity, seen
RETURN entity.name AS entity, elementId(phrase) AS key, $name(phrase) AS phrase, similarity, passages, seen
