// Personalized PageRank alone, of a graph whose nodes are numbers; only the sum comes back.
// params: graph (str), sources (list of [int, float]: node number and weight, weights sum to 1), damping (float),
//         iterations (int), tolerance (float), concurrency (int)
// returns: nodes (int), total (float)
// mode: read
CYPHER 25
CALL gds.pageRank.stream($graph, {sourceNodes: $sources, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency, logProgress: false})
YIELD nodeId, score
RETURN count(*) AS nodes, sum(score) AS total
