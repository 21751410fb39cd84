// The published version of a namespace's graph, the newest projection of it in memory, and whether somebody builds one. The
// name tells graphs apart that were made one after the other: a projection holds internal ids, which the next graph's
// nodes get again. Projections are looked at before builders: one that is there while nobody builds was checked. Those of
// another database, such as a copy of this one, don't count.
// params: namespace (str), prefix (str), suffix (str)
// returns: base (str, what the names of this version's projections begin with), lock (str, what a builder puts there),
//          version (int), published (int), synonym_threshold (float), graph (str or null, the projection's name),
//          builder (str or null), building (float or null, seconds since the builder began)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
CALL db.info() YIELD name AS here
WITH graph, here, $prefix + toString(graph.created.epochMillis) + '.' + toString(graph.published) + '.' AS base
WITH graph, here, base, base + 'building' + $suffix AS lock
CALL (here, base, lock) {
  CALL gds.graph.list() YIELD graphName, database, creationTime
  WITH graphName, creationTime
  WHERE database = here AND graphName STARTS WITH base AND graphName ENDS WITH $suffix AND graphName <> lock
  ORDER BY creationTime DESC LIMIT 1
  RETURN collect(graphName)[0] AS found
}
CALL (here, lock) {
  CALL gds.graph.list(lock) YIELD configuration, database, creationTime
  WITH configuration, creationTime WHERE database = here
  RETURN collect({job: configuration.jobId, began: creationTime})[0] AS building
}
RETURN base, lock, graph.version AS version, graph.published AS published, graph.synonym_threshold AS synonym_threshold,
       found AS graph, building.job AS builder,
       duration.inSeconds(building.began, datetime()).milliseconds / 1000.0 AS building
