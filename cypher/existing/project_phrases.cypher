// Project the phrases of a graph of others for PageRank, with what joins them; parallel relationships add up.
// params: graph (str), kinds (map: type, or '*' for any other, to {weight, weight_property})
// returns: nodes (int), relationships (int)
// mode: read
// names: label, types
CYPHER 25
CALL () {
  MATCH (source:$label(phrase))
  OPTIONAL MATCH (source)-[edge$types(edge)]->(target:$label(phrase))
  WITH source, edge, target, coalesce($kinds[type(edge)], $kinds['*']) AS kind
  WITH source, target, edge[kind.weight_property] AS own, kind
  WITH source, target, kind.weight * CASE WHEN own IS NULL THEN 1.0 ELSE toFloatOrNull(own) END AS weight
  WITH source, target, CASE WHEN weight > 0 AND weight <= 1e12 THEN weight END AS weight
  RETURN source, CASE WHEN weight IS NOT NULL THEN target END AS target, weight
}
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
