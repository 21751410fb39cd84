// Take the namespace's lock for this transaction by raising its version; writers on one namespace queue here.
// params: namespace (str)
// returns: version (int), synonym_threshold (float), schema_version (int), dropping (datetime or null)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.version = graph.version + 1
RETURN graph.version AS version, graph.synonym_threshold AS synonym_threshold, graph.schema_version AS schema_version,
       graph.dropping AS dropping
