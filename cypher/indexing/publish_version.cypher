// Make what was written the version that readers project.
// params: namespace (str)
// returns: published (int)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.published = graph.version
RETURN graph.published AS published
