// PageRank on the triangle from two weighted source nodes; by hand, the scores stand in the ratio 5 : 3 : 2.
// params: graph (str)
// returns: node (int), score (float)
// mode: read
CYPHER 25
CALL gds.pageRank.stream($graph, {sourceNodes: [[0, 3.0], [1, 1.0]], dampingFactor: 0.5, maxIterations: 100,
                                  tolerance: 1e-12, concurrency: 1})
YIELD nodeId, score
RETURN nodeId AS node, score ORDER BY node
