// Personalized PageRank of every phrase of a projection.
// params: graph (str), namespace (str), seeds (list of {key, weight}, not empty, weights sum to 1), damping (float),
//         iterations (int), tolerance (float), concurrency (int)
// returns: node (int), key (str), score (float)
// mode: read
CYPHER 25
UNWIND $seeds AS seed
MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
WITH collect([phrase, seed.weight]) AS sourceNodes
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency})
YIELD nodeId, score
RETURN nodeId AS node, gds.util.asNode(nodeId).key AS key, score
