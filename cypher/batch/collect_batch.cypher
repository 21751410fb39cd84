// A batch's answers are kept: keep its figures, and forget what it asked for.
// params: namespace (str), id (str), properties (map)
// returns: nothing
// mode: write
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace, id: $id}) WHERE batch.collected IS NULL
SET batch += $properties, batch.collected = datetime()
REMOVE batch.keys
