// All synonym pairs of a namespace, as they are stored.
// params: namespace (str)
// returns: source (key), target (key)
// mode: read
CYPHER 25
MATCH (source:Phrase {namespace: $namespace})
CALL (source) {
  MATCH (source)-[:SYNONYM]->(target:Phrase {namespace: $namespace})
  RETURN target
}
RETURN source.key AS source, target.key AS target
