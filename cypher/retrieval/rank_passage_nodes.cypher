// HippoRAG 2: personalized PageRank over phrases and passages from weighted seeds of both, passages by their own value.
// A seed keeps 1 - damping of its weight, so the passage in place `limit` holds at least what the seed in that place keeps:
// nodes below it are left out before they are looked up, and no passage that ranks is among them.
// params: graph (str), namespace (str), published (int, null for any), phrases (list of {key, weight}),
//         passages (list of {key, weight}; all weights sum to 1), damping (float), iterations (int), tolerance (float),
//         concurrency (int), limit (int)
// returns: id (str), title (str), text (str), score (float), row (int or null), properties (map)
// mode: read
// filter: node
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
  WITH passage, seed.weight AS weight ORDER BY weight DESC
  RETURN collect([passage, weight]) AS passageSeeds
}
WITH phraseSeeds + passageSeeds AS sourceNodes,
     coalesce(passageSeeds[$limit - 1][1], 0.0) * (1 - $damping) * (1 - 1e-9) AS least
WHERE size(sourceNodes) > 0
CALL (sourceNodes, least) {
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency,
    logProgress: false})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0 AND score >= least
  WITH gds.util.asNode(nodeId) AS node, score
  WHERE node:Passage AND node.namespace = $namespace /*filter AND $where(node) */
  WITH node AS passage, score ORDER BY score DESC, node.id LIMIT $limit
  RETURN passage, score
}
RETURN passage.id AS id, passage.title AS title, passage.text AS text, score, passage.row AS row,
       passage {.*, embedding: null, text: null} AS properties
ORDER BY score DESC, id
