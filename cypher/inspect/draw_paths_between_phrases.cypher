// Shortest paths between two phrases, as a graph. Over facts and synonyms, at most 5 long.
// params: namespace (str, such as 'demo'), source (str, phrase, such as 'oda merrin'), target (str, phrase, such as
//         'pellick'), limit (int, default 10)
// returns: path (path)
// mode: read
CYPHER 25
MATCH path = ALL SHORTEST (source:Phrase {namespace: $namespace, name: $source})
             (()-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})){1,5}
             (target:Phrase {namespace: $namespace, name: $target})
RETURN path
ORDER BY [node IN nodes(path) | node.name], [edge IN relationships(path) | coalesce(edge.predicate, '')] LIMIT $limit
