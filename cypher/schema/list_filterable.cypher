// What each namespace's passages may be filtered by; the names are one index's, which all namespaces share.
// params: none
// returns: filterable (list of str, "name:type")
// mode: read
CYPHER 25
MATCH (graph:HippoGraph) WHERE graph.filterable IS NOT NULL
RETURN graph.filterable AS filterable
