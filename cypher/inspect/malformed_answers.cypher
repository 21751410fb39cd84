// What the model wrote as a triple that has not three parts. By the run that read it.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: run (str), title (str), triple (str, JSON), id (str, of the passage)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.malformed IS NOT NULL
UNWIND passage.malformed AS triple
RETURN passage.run AS run, passage.title AS title, triple, passage.id AS id
ORDER BY run, title, id, triple LIMIT $limit
