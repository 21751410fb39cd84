// Project a graph from edges that are given; nothing is read from the database or written to it.
// params: graph (str), edges (list of [int, int, float]: two node numbers and a weight; walked in both directions)
// returns: nodes (int), relationships (int)
// mode: read
CYPHER 25
UNWIND $edges AS edge
WITH gds.graph.project($graph, edge[0], edge[1],
       {relationshipProperties: {weight: edge[2]}},
       {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
