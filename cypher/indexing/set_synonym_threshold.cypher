// Give a graph another synonym threshold; later runs link with it.
// params: namespace (str), threshold (float)
// returns: threshold (float)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.synonym_threshold = $threshold
RETURN graph.synonym_threshold AS threshold
