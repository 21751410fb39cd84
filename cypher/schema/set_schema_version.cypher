// Say that a graph is migrated to another schema version; one that another client has migrated stays as it is.
// params: namespace (str), before (int), now (int)
// returns: schema_version (int)
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
SET graph.schema_version = CASE graph.schema_version WHEN $before THEN $now ELSE graph.schema_version END
RETURN graph.schema_version AS schema_version
