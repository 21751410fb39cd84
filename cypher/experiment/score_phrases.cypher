// Personalized PageRank of some phrases of a projection.
// params: graph (str), namespace (str), seeds (list of {key, weight}, not empty, weights sum to 1), phrases (list of keys),
//         damping (float), iterations (int), tolerance (float), concurrency (int)
// returns: key (str), score (float)
// mode: read
CYPHER 25
UNWIND $seeds AS seed
MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
WITH collect([phrase, seed.weight]) AS sourceNodes
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency})
YIELD nodeId, score
WITH nodeId, score WHERE score > 0
WITH gds.util.asNode(nodeId) AS node, score WHERE node.key IN $phrases
RETURN node.key AS key, score
