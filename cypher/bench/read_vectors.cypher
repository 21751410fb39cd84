// All texts of a namespace that were embedded, with their vectors.
// params: namespace (str), dimensions (int)
// returns: text (str), embedding (vector)
// mode: read
CYPHER 25
CALL () {
  MATCH (passage:Passage {namespace: $namespace})
  RETURN CASE passage.title WHEN '' THEN passage.text ELSE passage.title + '\n' + passage.text END AS text,
         passage.embedding AS embedding
  UNION ALL
  MATCH (phrase:Phrase {namespace: $namespace})
  RETURN phrase.name AS text, phrase.embedding AS embedding
  UNION ALL
  MATCH (subject:Phrase)-[fact:RELATES {namespace: $namespace}]->(object:Phrase)
  RETURN '(\'' + subject.name + '\', \'' + fact.predicate + '\', \'' + object.name + '\')' AS text,
         fact.embedding AS embedding
}
RETURN text, vector(embedding, $dimensions, FLOAT32) AS embedding
