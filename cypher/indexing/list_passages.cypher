// All passages of a namespace, by key.
// params: namespace (str)
// returns: key (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
RETURN passage.key AS key
