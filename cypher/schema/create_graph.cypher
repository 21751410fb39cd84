// Begin a namespace's graph; one that is there stays as it is.
// params: namespace (str), properties (map)
// returns: graph (map of the HippoGraph node's properties)
// mode: write
CYPHER 25
MERGE (graph:HippoGraph {namespace: $namespace})
  ON CREATE SET graph += $properties, graph.version = 0, graph.published = 0, graph.created = datetime()
RETURN properties(graph) AS graph
