// Projections of a namespace that are in memory, oldest first.
// params: prefix (str)
// returns: graph (str), bytes (int)
// mode: read
CYPHER 25
CALL gds.graph.list() YIELD graphName, creationTime, sizeInBytes
WITH graphName, creationTime, sizeInBytes WHERE graphName STARTS WITH $prefix
RETURN graphName AS graph, sizeInBytes AS bytes ORDER BY creationTime
