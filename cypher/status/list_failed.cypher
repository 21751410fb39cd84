// Passages that could not be read, with the reason.
// params: namespace (str), limit (int)
// returns: id (str), title (str), error (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE passage.status = 'failed'
RETURN passage.id AS id, passage.title AS title, passage.error AS error
ORDER BY id LIMIT $limit
