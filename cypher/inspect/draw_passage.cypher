// A passage with its phrases and facts, as a graph.
// params: namespace (str, such as 'demo'), passage (str, passage, such as 'Oda Merrin'), limit (int, default 100)
// returns: path (path)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id = $passage OR passage.title = $passage
MATCH path = (passage)-[:MENTIONS]->(subject:Phrase {namespace: $namespace})
             (()-[fact:RELATES]->(object:Phrase {namespace: $namespace}) WHERE passage.id IN fact.passages){0,1}
RETURN path
ORDER BY passage.id, subject.name, length(path), nodes(path)[-1].name LIMIT $limit
