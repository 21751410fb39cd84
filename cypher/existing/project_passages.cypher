// Project the phrases and passages of a graph of others for PageRank, with what joins them. A passage and a phrase are
// joined once, however often and in whatever way it mentions it.
// params: graph (str), kinds (map: type, or '*' for any other, to {weight, weight_property}), mention_weight (float)
// returns: nodes (int), relationships (int)
// mode: read
// names: label, types, path
CYPHER 25
CALL () {
  MATCH (source:$label(phrase))
  OPTIONAL MATCH (source)-[edge$types(edge)]->(target:$label(phrase))
  WITH source, edge, target, coalesce($kinds[type(edge)], $kinds['*']) AS kind
  WITH source, target, edge[kind.weight_property] AS own, kind
  WITH source, target, kind.weight * CASE WHEN own IS NULL THEN 1.0 ELSE toFloatOrNull(own) END AS weight
  WITH source, target, CASE WHEN weight > 0 AND weight <= 1e12 THEN weight END AS weight
  RETURN source, CASE WHEN weight IS NOT NULL THEN target END AS target, weight
  UNION ALL
  MATCH (source:$label(passage))
  RETURN source, null AS target, null AS weight
  UNION ALL
  CALL () {
    /*each mention UNION
    MATCH (passage:$label(passage))$path(mention)(phrase:$label(phrase)) WHERE passage <> phrase
    RETURN DISTINCT passage, phrase */
  }
  RETURN passage AS source, phrase AS target, $mention_weight AS weight
}
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
