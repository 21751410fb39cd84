// Say that a projection isn't being built any more, unless somebody else builds it meanwhile.
// params: lock (str), builder (str)
// returns: graph (str)
// mode: read
CYPHER 25
CALL gds.graph.list($lock) YIELD graphName, configuration
WITH graphName WHERE configuration.jobId = $builder
CALL gds.graph.drop(graphName, false) YIELD graphName AS graph
RETURN graph
