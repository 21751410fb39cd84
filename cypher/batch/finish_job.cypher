// A job is over: its batches stay as a record of what they cost.
// params: namespace (str), job (str), run (str or null, what wrote the graph from the answers)
// returns: nothing
// mode: write
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace}) WHERE batch.job = $job AND batch.finished IS NULL
SET batch.finished = datetime(), batch.collected = coalesce(batch.collected, datetime()),
    batch.run = $run
REMOVE batch.keys, batch.unreadable, batch.failed, batch.hopeless
