// The ranking of rank_passage_nodes without its shortcut: every node that the walk reaches is looked up. For comparison.
// params: graph (str), namespace (str), published (int, null for any), phrases (list of {key, weight}),
//         passages (list of {key, weight}; all weights sum to 1), damping (float), iterations (int), tolerance (float),
//         concurrency (int), limit (int)
// returns: id (str), title (str), text (str), score (float), row (int or null), properties (map)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.published = coalesce($published, graph.published)
CALL () {
  UNWIND $phrases AS seed
  MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
  RETURN collect([phrase, seed.weight]) AS phraseSeeds
}
CALL () {
  UNWIND $passages AS seed
  MATCH (passage:Passage {key: seed.key}) WHERE passage.namespace = $namespace
  RETURN collect([passage, seed.weight]) AS passageSeeds
}
WITH phraseSeeds + passageSeeds AS sourceNodes WHERE size(sourceNodes) > 0
CALL (sourceNodes) {
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency,
    logProgress: false})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0
  WITH gds.util.asNode(nodeId) AS node, score
  WHERE node:Passage AND node.namespace = $namespace
  WITH node AS passage, score ORDER BY score DESC, node.id LIMIT $limit
  RETURN passage, score
}
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
ORDER BY score DESC, id
