// Project what the passages that a filter allows make of phrases, and with a mention weight of passages, for PageRank: the
// phrases they mention, the facts they state, by how many of them, and the synonyms between their phrases. Begins at the
// passages, so that it costs what they say and not what the graph holds.
// params: graph (str), namespace (str), fact_weight (float), synonym_weight (float), synonym_from (float),
//         mention_weight (float, null for phrases alone)
// returns: nodes (int), relationships (int)
// mode: read
// filter: passage, other, source
CYPHER 25
CALL () {
  MATCH (passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
  MATCH (passage)-[:MENTIONS]->(source:Phrase {namespace: $namespace})
  WITH DISTINCT source
  OPTIONAL MATCH (source)-[edge:SYNONYM]->(target:Phrase {namespace: $namespace})
    WHERE edge.score >= $synonym_from
      AND EXISTS { (target)<-[:MENTIONS]-(other:Passage {namespace: $namespace}) /*filter WHERE $where(other) */ }
  RETURN source, target, $synonym_weight * edge.score AS weight
  UNION ALL
  MATCH (passage:Passage {namespace: $namespace}) /*filter WHERE $where(passage) */
  MATCH (passage)-[:MENTIONS]->(source:Phrase {namespace: $namespace})-[edge:RELATES]->(target:Phrase {namespace: $namespace})
  WHERE passage.id IN edge.passages
  WITH source, edge, target, count(*) AS stated
  RETURN source, target, $fact_weight * stated AS weight
  UNION ALL
  MATCH (source:Passage {namespace: $namespace}) WHERE $mention_weight IS NOT NULL /*filter AND $where(source) */
  OPTIONAL MATCH (source)-[:MENTIONS]->(target:Phrase {namespace: $namespace})
  RETURN source, target, $mention_weight AS weight
}
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
