// Edges of a projection with their weights, each undirected edge in both directions.
// params: graph (str)
// returns: source (int), target (int), weight (float)
// mode: read
CYPHER 25
CALL gds.graph.relationshipProperty.stream($graph, 'weight') YIELD sourceNodeId, targetNodeId, propertyValue
RETURN sourceNodeId AS source, targetNodeId AS target, propertyValue AS weight
