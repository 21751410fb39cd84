// The published version of a namespace's graph, and whether its projection is in memory. The name tells graphs apart that
// were made one after the other: a projection holds internal ids, which the next graph's nodes get again.
// params: namespace (str), prefix (str), suffix (str)
// returns: graph (str, the projection's name), version (int), published (int), synonym_threshold (float), found (bool)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
WITH graph, $prefix + toString(graph.created.epochMillis) + '.' + toString(graph.published) + $suffix AS name
CALL gds.graph.exists(name) YIELD exists
RETURN name AS graph, graph.version AS version, graph.published AS published,
       graph.synonym_threshold AS synonym_threshold, exists AS found
