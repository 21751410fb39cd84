// Passages that the language model could not read, by key.
// params: namespace (str)
// returns: key (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.status = 'failed'
RETURN passage.key AS key ORDER BY key
