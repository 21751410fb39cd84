// Batches of a namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE INDEX hipporag_batch_namespace IF NOT EXISTS FOR (batch:HippoBatch) ON (batch.namespace)
