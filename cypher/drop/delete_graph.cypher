// Delete a namespace's own node; last, since data without one counts as data of others.
// params: namespace (str)
// returns: graphs (int, deleted)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
DETACH DELETE graph
RETURN count(*) AS graphs
