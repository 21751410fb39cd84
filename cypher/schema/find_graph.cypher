// What a namespace's graph remembers of itself.
// params: namespace (str)
// returns: graph (map of the HippoGraph node's properties)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
RETURN properties(graph) AS graph
