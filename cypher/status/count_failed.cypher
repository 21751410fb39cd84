// Why the language model could not read passages, the most frequent reasons first.
// params: namespace (str), limit (int)
// returns: error (str), passages (int)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WHERE passage.status = 'failed'
RETURN passage.error AS error, count(*) AS passages
ORDER BY passages DESC, error LIMIT $limit
