// Batches of a namespace that the language model's endpoint still works on, as far as was seen.
// params: namespace (str)
// returns: batches (int)
// mode: read
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace}) WHERE batch.finished IS NULL AND batch.collected IS NULL
RETURN count(*) AS batches
