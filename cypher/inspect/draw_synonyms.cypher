// The phrases that synonyms join to a phrase, as a graph. Over at most 2 steps.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'tamber school'), limit (int, default 100)
// returns: path (path)
// mode: read
CYPHER 25
MATCH path = (:Phrase {namespace: $namespace, name: $phrase})
             (()-[:SYNONYM]-(:Phrase {namespace: $namespace})){1,2}
RETURN path ORDER BY length(path), [node IN nodes(path) | node.name] LIMIT $limit
