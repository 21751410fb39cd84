// Say that a namespace's graph is being dropped, and take its lock: writers and readers that come later stop. One that was
// made after it is another graph.
// params: namespace (str), created (datetime)
// returns: version (int); no row where there is no graph any more
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.created.epochMillis = $created.epochMillis
SET graph.version = graph.version + 1, graph.dropping = coalesce(graph.dropping, datetime())
RETURN graph.version AS version
