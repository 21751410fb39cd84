// Make what was written the version that readers project. `+ 0` has the server take the lock before it reads the version,
// which `graph.published = graph.version` alone doesn't: a later one, published in between, would be taken back.
// params: namespace (str)
// returns: published (int)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.version = graph.version + 0
SET graph.published = graph.version
RETURN graph.published AS published
