// What Graph Data Science says that one PageRank over so many nodes and relationships takes of its memory, meanwhile.
// params: nodes (int), relationships (int), concurrency (int)
// returns: least (int, bytes), most (int, bytes)
// mode: read
CYPHER 25
CALL gds.pageRank.stream.estimate(
  {nodeProjection: '*', relationshipProjection: '*', nodeCount: $nodes, relationshipCount: $relationships},
  {concurrency: $concurrency}
)
YIELD bytesMin, bytesMax
RETURN bytesMin AS least, bytesMax AS most
