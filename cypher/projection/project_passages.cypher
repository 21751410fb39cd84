// Project phrases and passages of one namespace for PageRank; facts and synonyms add up, weights are computed here.
// A mention weighs the same whatever its count.
// params: graph (str), namespace (str), fact_weight (float), synonym_weight (float), synonym_from (float),
//         mention_weight (float), pairs (list of {source: key, target: key, score}: more synonyms, none of them stored)
// returns: nodes (int), relationships (int)
// mode: read
CYPHER 25
CALL () {
  MATCH (source:Phrase {namespace: $namespace})
  OPTIONAL MATCH (source)-[edge:RELATES|SYNONYM]->(target:Phrase {namespace: $namespace})
    WHERE edge.namespace = $namespace OR edge.score >= $synonym_from
  RETURN source, target, CASE type(edge)
      WHEN 'RELATES' THEN $fact_weight * size(edge.passages)
      WHEN 'SYNONYM' THEN $synonym_weight * edge.score
    END AS weight
  UNION ALL
  UNWIND $pairs AS pair
  MATCH (source:Phrase {key: pair.source}) WHERE source.namespace = $namespace
  MATCH (target:Phrase {key: pair.target}) WHERE target.namespace = $namespace
  RETURN source, target, $synonym_weight * pair.score AS weight
  UNION ALL
  MATCH (source:Passage {namespace: $namespace})
  OPTIONAL MATCH (source)-[:MENTIONS]->(target:Phrase {namespace: $namespace})
  RETURN source, target, $mention_weight AS weight
}
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
