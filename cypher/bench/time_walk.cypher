// Personalized PageRank alone: the walk as in rank_by_mentions, of which only the sum comes back.
// params: graph (str), namespace (str), seeds (list of {key, weight}, not empty, weights sum to 1), damping (float),
//         iterations (int), tolerance (float), concurrency (int)
// returns: nodes (int), total (float)
// mode: read
CYPHER 25
UNWIND $seeds AS seed
MATCH (phrase:Phrase {key: seed.key}) WHERE phrase.namespace = $namespace
WITH collect([phrase, seed.weight]) AS sourceNodes
CALL gds.pageRank.stream($graph, {sourceNodes: sourceNodes, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency})
YIELD nodeId, score
RETURN count(*) AS nodes, sum(score) AS total
