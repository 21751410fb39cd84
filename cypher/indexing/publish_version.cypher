// Make what was written the version that readers project. Setting a property first takes the lock before the version is
// read, which `graph.published = graph.version` alone doesn't: a later one, published in between, would be taken back.
// Another way to take it, as `raise_version` does, would lock twice in one transaction, and so deadlock.
// params: namespace (str)
// returns: published (int)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.publishing = true
WITH graph
SET graph.published = graph.version, graph.publishing = null
RETURN graph.published AS published
