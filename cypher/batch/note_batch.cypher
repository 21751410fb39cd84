// Keep what the endpoint says of a batch.
// params: namespace (str), id (str), properties (map)
// returns: id (str); no row where the batch was given up, or the graph dropped
// mode: write
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace, id: $id})
SET batch += $properties
RETURN batch.id AS id
