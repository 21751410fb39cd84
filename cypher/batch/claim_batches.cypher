// Announce the batches of a round before they are sent, unless another client was faster, or another job is under way.
// Writing to the graph's node takes its lock, so that two clients announce one after the other.
// params: namespace (str), job (str), round (int), batches (list of map)
// returns: id (str); no row where another client was faster, or there is no graph any more
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
SET graph.batches_claimed = coalesce(graph.batches_claimed, 0) + 1
WITH graph
WHERE NOT EXISTS {
  MATCH (other:HippoBatch {namespace: $namespace})
  WHERE other.finished IS NULL AND (other.collected IS NULL OR other.job <> $job OR other.round >= $round)
}
UNWIND $batches AS properties
CREATE (batch:HippoBatch)
SET batch = properties, batch.namespace = $namespace, batch.job = $job, batch.round = $round,
    batch.created = datetime(), batch.leased = datetime()
RETURN batch.id AS id
