// The sender of a batch gives a sign of life.
// params: namespace (str), id (str)
// returns: id (str); no row where another client has given the batch up meanwhile
// mode: write
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace, id: $id})
SET batch.leased = datetime()
RETURN batch.id AS id
