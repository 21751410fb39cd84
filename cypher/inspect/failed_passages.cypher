// Passages that the language model could not read. With the reason; retry-failed tries them again.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: title (str), error (str), run (str), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.status = 'failed'
RETURN passage.title AS title, passage.error AS error, passage.run AS run, passage.id AS id
ORDER BY title, id LIMIT $limit
