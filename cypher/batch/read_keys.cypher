// What a batch asks for.
// params: namespace (str), id (str)
// returns: keys (bytes, 16 for each request)
// mode: read
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace, id: $id}) WHERE batch.keys IS NOT NULL
RETURN batch.keys AS keys
