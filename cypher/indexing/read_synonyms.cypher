// All synonym pairs of a namespace, as they are stored.
// params: namespace (str)
// returns: source (key), target (key)
// mode: read
CYPHER 25
MATCH (source:Phrase {namespace: $namespace})-[:SYNONYM]->(target:Phrase {namespace: $namespace})
RETURN source.key AS source, target.key AS target
