// Which requests of a job got no usable answer so far, batch by batch.
// params: namespace (str), job (str)
// returns: unreadable (bytes), failed (bytes), hopeless (bytes): 16 for each request
// mode: read
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace}) WHERE batch.job = $job AND batch.collected IS NOT NULL
RETURN batch.unreadable AS unreadable, batch.failed AS failed, batch.hopeless AS hopeless
