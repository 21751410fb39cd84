// Projections in memory whose names begin so, in this database, oldest first.
// params: prefix (str)
// returns: graph (str), bytes (int), age (float, seconds)
// mode: read
CYPHER 25
CALL db.info() YIELD name
CALL gds.graph.list() YIELD graphName, database, creationTime, sizeInBytes
WITH * WHERE database = name AND graphName STARTS WITH $prefix
RETURN graphName AS graph, sizeInBytes AS bytes,
       duration.inSeconds(creationTime, datetime()).milliseconds / 1000.0 AS age
ORDER BY creationTime
