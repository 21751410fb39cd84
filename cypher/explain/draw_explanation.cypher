// Passages, the phrases through which a walk reached them, and the facts, synonyms and mentions between these, as a graph.
// params: namespace (str), passages (list of ids), phrases (list of names)
// returns: path (path)
// mode: read
CYPHER 25
CALL () {
  MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id IN $passages
  MATCH path = (passage)-[:MENTIONS]->(phrase:Phrase {namespace: $namespace}) WHERE phrase.name IN $phrases
  RETURN path
  UNION
  UNWIND $phrases AS name
  MATCH path = (source:Phrase {namespace: $namespace, name: name})-[:RELATES|SYNONYM]->(target:Phrase {namespace: $namespace})
  WHERE target.name IN $phrases
  RETURN path
  UNION
  MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id IN $passages
  MATCH path = (passage)
  RETURN path
}
RETURN path
