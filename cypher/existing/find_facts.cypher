// Facts of one kind of a graph of others nearest to a question, and the lowest score of any: over-fetched from the index,
// scored exactly.
// params: embedding (vector), negated (vector), fetch (int), limit (int), kind (map of predicate, predicate_property, reversed)
// returns: key (str), subject (str), predicate (str), object (str), subject_key (str), object_key (str),
//          subject_passages (int), object_passages (int), score (float, cosine), lowest (float, cosine),
//          seen (int, facts that were fetched)
// mode: read
// names: label, types, index, vector, name, path
CYPHER 25
CALL () {
  MATCH ()-[far$types(fact)]->()
    SEARCH far IN (VECTOR INDEX $index(fact) FOR $negated LIMIT $fetch / 3)
  RETURN min(2 * vector.similarity.cosine(far.$vector(fact), $embedding) - 1) AS lowest
}
MATCH ()-[near$types(fact)]->()
  SEARCH near IN (VECTOR INDEX $index(fact) FOR $embedding LIMIT $fetch)
WITH near AS fact, lowest, 2 * vector.similarity.cosine(near.$vector(fact), $embedding) - 1 AS score,
     CASE WHEN $kind.reversed THEN endNode(near) ELSE startNode(near) END AS subject,
     CASE WHEN $kind.reversed THEN startNode(near) ELSE endNode(near) END AS object
WHERE subject:$label(phrase) AND object:$label(phrase) AND $name(subject) IS NOT NULL AND $name(object) IS NOT NULL
WITH collect({fact: fact, score: score, subject: subject, object: object}) AS found, lowest
UNWIND found AS one
WITH one.fact AS fact, one.score AS score, one.subject AS subject, one.object AS object, lowest, size(found) AS seen
WITH *, $name(subject) AS subjectName, $name(object) AS objectName,
     coalesce(toStringOrNull(fact[$kind.predicate_property]), $kind.predicate, type(fact)) AS predicate
ORDER BY score DESC, subjectName, predicate, objectName LIMIT $limit
RETURN elementId(fact) AS key, subjectName AS subject, predicate, objectName AS object,
       elementId(subject) AS subject_key, elementId(object) AS object_key,
       COUNT {
         /*each mention UNION
         MATCH (passage:$label(passage))$path(mention)(subject) RETURN DISTINCT passage */
       } AS subject_passages,
       COUNT {
         /*each mention UNION
         MATCH (passage:$label(passage))$path(mention)(object) RETURN DISTINCT passage */
       } AS object_passages,
       score, lowest, seen
ORDER BY score DESC, subject, predicate, object
