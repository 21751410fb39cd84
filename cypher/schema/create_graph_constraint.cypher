// One HippoGraph node per namespace.
// params: none
// returns: nothing
// mode: schema
CYPHER 25
CREATE CONSTRAINT hipporag_graph_namespace IF NOT EXISTS FOR (graph:HippoGraph) REQUIRE graph.namespace IS UNIQUE
