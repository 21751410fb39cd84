// Every namespace's graph in the database, by name; a graph is the only node that one may read without a namespace.
// params: none
// returns: namespace (str), embedding_model (str), schema_version (int), created (datetime), dropping (bool)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph)
RETURN graph.namespace AS namespace, graph.embedding_model AS embedding_model,
       graph.schema_version AS schema_version, graph.created AS created, graph.dropping IS NOT NULL AS dropping
ORDER BY namespace
