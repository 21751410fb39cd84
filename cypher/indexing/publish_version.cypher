// Make what was written the version that readers project. Setting the version to itself takes the lock before it is read:
// else a writer might publish a later one in between, and this would go back.
// params: namespace (str)
// returns: published (int)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.version = graph.version
SET graph.published = graph.version
RETURN graph.published AS published
