// Forget a batch that was never created at the endpoint.
// params: namespace (str), id (str)
// returns: batches (int, deleted)
// mode: write
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace, id: $id}) WHERE batch.batch IS NULL
DELETE batch
RETURN count(*) AS batches
