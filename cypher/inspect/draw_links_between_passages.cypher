// Why two passages are connected, as a graph. Over phrases that both mention, and over one fact or synonym between
// their phrases.
// params: namespace (str, such as 'demo'), passage (str, passage, such as 'Oda Merrin'), other (str, passage, such as
//         'An oath sworn over varnish'), limit (int, default 25)
// returns: path (path)
// mode: read
CYPHER 25
MATCH (first:Passage {namespace: $namespace}) WHERE first.id = $passage OR first.title = $passage
MATCH (second:Passage {namespace: $namespace}) WHERE second.id = $other OR second.title = $other
WITH first, second WHERE first <> second
MATCH path = (first)-[:MENTIONS]->(one:Phrase {namespace: $namespace})
             (()-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})){0,1}
             (two:Phrase {namespace: $namespace})<-[:MENTIONS]-(second)
RETURN path
ORDER BY length(path), one.name, two.name, [edge IN relationships(path) | coalesce(edge.predicate, '')] LIMIT $limit
