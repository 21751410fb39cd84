// Drop a projection; one that is gone already is fine.
// params: graph (str)
// returns: graph (str)
// mode: read
CYPHER 25
CALL gds.graph.drop($graph, false) YIELD graphName
RETURN graphName AS graph
