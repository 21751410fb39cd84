// Add to what a namespace's passages may be filtered by; a name that is there gets the new type.
// params: namespace (str), added (list of str, "name:type"), names (list of str, "name:")
// returns: filterable (list of str, "name:type")
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
SET graph.filterable =
  [old IN coalesce(graph.filterable, []) WHERE none(name IN $names WHERE old STARTS WITH name)] + $added
RETURN graph.filterable AS filterable
