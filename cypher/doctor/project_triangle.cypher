// Project a triangle that is no part of the database, to try the server's PageRank on.
// params: graph (str)
// returns: nodes (int)
// mode: read
CYPHER 25
UNWIND [[0, 1], [1, 2], [2, 0]] AS edge
WITH gds.graph.project($graph, edge[0], edge[1], {}, {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.nodeCount AS nodes
