// Project the phrases of one namespace for PageRank; facts and synonyms add up, weights are computed here.
// params: graph (str), namespace (str), fact_weight (float), synonym_weight (float), synonym_from (float)
// returns: nodes (int), relationships (int)
// mode: read
CYPHER 25
MATCH (source:Phrase {namespace: $namespace})
OPTIONAL MATCH (source)-[edge:RELATES|SYNONYM]->(target:Phrase {namespace: $namespace})
  WHERE edge.namespace = $namespace OR edge.score >= $synonym_from
WITH source, target, CASE type(edge)
       WHEN 'RELATES' THEN $fact_weight * size(edge.passages)
       WHEN 'SYNONYM' THEN $synonym_weight * edge.score
     END AS weight
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
