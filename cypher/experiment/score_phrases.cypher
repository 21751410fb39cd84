// For each instance, personalized PageRank from its seeds, of its phrases: a walk of its own over the whole projection.
// params: graph (str), namespace (str), instances (list of {number, phrases: list of keys, seeds: list of {key, weight},
//         not empty, weights sum to 1}), damping (float), iterations (int), tolerance (float), concurrency (int)
// returns: instance (int, its number), key (str), score (float)
// mode: read
CYPHER 25
UNWIND $instances AS instance
CALL (instance) {
  UNWIND instance.seeds AS seed
  MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
  WITH collect([phrase, seed.weight]) AS sourceNodes
  CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
    tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency})
  YIELD nodeId, score
  WITH nodeId, score WHERE score > 0
  WITH gds.util.asNode(nodeId) AS node, score WHERE node.key IN instance.phrases
  RETURN node.key AS key, score
}
RETURN instance.number AS instance, key, score
