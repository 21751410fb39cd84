// The facts and synonyms of a phrase, as a graph.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'oda merrin'), limit (int, default 25)
// returns: path (path)
// mode: read
CYPHER 25
MATCH path = (:Phrase {namespace: $namespace, name: $phrase})
             -[edge:RELATES|SYNONYM]-(neighbour:Phrase {namespace: $namespace})
RETURN path
ORDER BY coalesce(size(edge.passages), edge.score) DESC, neighbour.name, coalesce(edge.predicate, '') LIMIT $limit
