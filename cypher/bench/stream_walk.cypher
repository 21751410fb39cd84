// Personalized PageRank of every node of a projection.
// params: graph (str), namespace (str), phrases (list of {key, weight}), passages (list of {key, weight}; all weights sum to
//         1, there must be a seed), damping (float), iterations (int), tolerance (float), concurrency (int)
// returns: node (int), key (str), score (float)
// mode: read
CYPHER 25
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
WITH phraseSeeds + passageSeeds AS sourceNodes
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency, logProgress: false})
YIELD nodeId, score
RETURN nodeId AS node, gds.util.asNode(nodeId).key AS key, score
