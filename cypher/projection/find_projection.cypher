// The published version of a namespace's graph, the newest projection of it in memory, and whether somebody builds one. The
// name tells graphs apart that were made one after the other: a projection holds internal ids, which the next graph's
// nodes get again. Projections are looked at before builders: one that is there while nobody builds was checked.
// params: namespace (str), prefix (str), suffix (str)
// returns: base (str, what the names of this version's projections begin with), lock (str, what a builder puts there),
//          version (int), published (int), synonym_threshold (float), graph (str or null, the projection's name),
//          builder (str or null), building (float or null, seconds since the builder began)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
WITH graph, $prefix + toString(graph.created.epochMillis) + '.' + toString(graph.published) + '.' AS base
WITH graph, base, base + 'building' + $suffix AS lock
CALL (base, lock) {
  CALL gds.graph.list() YIELD graphName, creationTime
  WITH graphName, creationTime
  WHERE graphName STARTS WITH base AND graphName ENDS WITH $suffix AND graphName <> lock
  ORDER BY creationTime DESC LIMIT 1
  RETURN collect(graphName)[0] AS found
}
CALL (lock) {
  CALL gds.graph.list(lock) YIELD configuration, creationTime
  RETURN collect({job: configuration.jobId, began: creationTime})[0] AS building
}
RETURN base, lock, graph.version AS version, graph.published AS published, graph.synonym_threshold AS synonym_threshold,
       found AS graph, building.job AS builder,
       duration.between(building.began, datetime()).milliseconds / 1000.0 AS building
