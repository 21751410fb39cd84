// Personalized PageRank of every node of a graph whose nodes are numbers.
// params: graph (str), sources (list of [int, float]: node number and weight, weights sum to 1), damping (float),
//         iterations (int), tolerance (float), concurrency (int)
// returns: node (int), score (float)
// mode: read
CYPHER 25
CALL gds.pageRank.stream($graph, {sourceNodes: $sources, dampingFactor: $damping, maxIterations: $iterations,
  tolerance: $tolerance, relationshipWeightProperty: 'weight', concurrency: $concurrency, logProgress: false})
YIELD nodeId, score
RETURN nodeId AS node, score
