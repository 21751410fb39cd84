// The newest projection in memory of a graph of others in a state, and whether somebody builds one.
// params: prefix (str), suffix (str), version (int, which stands for the state)
// returns: base (str, what the names of this state's projections begin with), lock (str, what a builder puts there),
//          version (int), published (int), synonym_threshold (float), graph (str or null, the projection's name),
//          builder (str or null), building (float or null, seconds since the builder began), age (float or null, seconds)
// mode: read
CYPHER 25
CALL db.info() YIELD name AS here, creationDate
WITH here, $prefix + toString(datetime(creationDate).epochMillis) + '.' + toString($version) + '.' AS base
WITH here, base, base + 'building' + $suffix AS lock
CALL (here, base, lock) {
  CALL gds.graph.list() YIELD graphName, database, creationTime
  WITH graphName, creationTime
  WHERE database = here AND graphName STARTS WITH base AND graphName ENDS WITH $suffix AND graphName <> lock
  ORDER BY creationTime DESC LIMIT 1
  RETURN collect({name: graphName, made: creationTime})[0] AS found
}
CALL (here, lock) {
  CALL gds.graph.list(lock) YIELD configuration, database, creationTime
  WITH configuration, creationTime WHERE database = here
  RETURN collect({job: configuration.jobId, began: creationTime})[0] AS building
}
RETURN base, lock, $version AS version, $version AS published, 0.0 AS synonym_threshold,
       found.name AS graph, building.job AS builder,
       duration.inSeconds(building.began, datetime()).milliseconds / 1000.0 AS building,
       duration.inSeconds(found.made, datetime()).milliseconds / 1000.0 AS age
