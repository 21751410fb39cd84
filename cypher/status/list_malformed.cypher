// Answers that were meant as triples but don't have three parts, with their passage.
// params: namespace (str), limit (int)
// returns: id (str), title (str), row (int or null), triple (str, JSON)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE passage.malformed IS NOT NULL
UNWIND passage.malformed AS triple
RETURN passage.id AS id, passage.title AS title, passage.row AS row, triple
ORDER BY row, id LIMIT $limit
