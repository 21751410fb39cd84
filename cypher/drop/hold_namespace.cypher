// Take the place of a namespace's graph, so that nobody makes one until the transaction ends; `delete_graph` frees it
// in the same transaction, and nobody ever sees it.
// params: namespace (str)
// returns: held (bool, false where there is a graph)
// mode: write
CYPHER 25
MERGE (graph:HippoGraph {namespace: $namespace})
RETURN graph.version IS NULL AS held
