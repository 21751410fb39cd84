// Project what the passages that a filter allows make of phrases, and with a mention weight of passages, as the official
// code would build it: for each direction a synonym replaces the facts between the two, unless the phrase it starts from
// is too short to look for synonyms; no self-loops.
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
  OPTIONAL MATCH (source)-[edge:RELATES|SYNONYM]-(target:Phrase {namespace: $namespace})
    WHERE source.key < target.key AND (edge.namespace = $namespace OR edge.score >= $synonym_from)
      AND EXISTS { (target)<-[:MENTIONS]-(other:Passage {namespace: $namespace}) /*filter WHERE $where(other) */ }
  WITH source, target, CASE type(edge) WHEN 'SYNONYM' THEN edge.score END AS score, COUNT {
    UNWIND CASE type(edge) WHEN 'RELATES' THEN edge.passages END AS id
    MATCH (other:Passage {namespace: $namespace, id: id}) /*filter WHERE $where(other) */
  } AS stated
  WITH source, target, sum(stated) * $fact_weight / 2 AS facts, max(score) * $synonym_weight / 2 AS synonym
  RETURN source, CASE WHEN facts > 0 OR synonym IS NOT NULL THEN target END AS target,
         CASE WHEN synonym IS NULL OR size(replace(source.name, ' ', '')) <= 2 THEN facts ELSE synonym END +
         CASE WHEN synonym IS NULL OR size(replace(target.name, ' ', '')) <= 2 THEN facts ELSE synonym END AS weight
  UNION ALL
  MATCH (source:Passage {namespace: $namespace}) WHERE $mention_weight IS NOT NULL /*filter AND $where(source) */
  OPTIONAL MATCH (source)-[:MENTIONS]->(target:Phrase {namespace: $namespace})
  RETURN source, target, $mention_weight AS weight
}
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
