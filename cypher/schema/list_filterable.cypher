// What each namespace's passages may be filtered by; the names are one index's, which all namespaces share.
// params: none
// returns: namespace (str), filterable (list of str, "name:type")
// mode: read
CYPHER 25
MATCH (graph:HippoGraph) WHERE graph.filterable IS NOT NULL
RETURN graph.namespace AS namespace, graph.filterable AS filterable ORDER BY namespace
