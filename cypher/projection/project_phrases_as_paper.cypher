// Project phrases as the official code builds its graph: for each direction a synonym replaces the facts between the two,
// unless the phrase it starts from is too short to look for synonyms; no self-loops.
// params: graph (str), namespace (str), fact_weight (float), synonym_weight (float), synonym_from (float)
// returns: nodes (int), relationships (int)
// mode: read
CYPHER 25
MATCH (source:Phrase {namespace: $namespace})
OPTIONAL MATCH (source)-[edge:RELATES|SYNONYM]-(target:Phrase {namespace: $namespace})
  WHERE source.key < target.key AND (edge.namespace = $namespace OR edge.score >= $synonym_from)
WITH source, target,
     sum(CASE type(edge) WHEN 'RELATES' THEN size(edge.passages) ELSE 0 END) * $fact_weight / 2 AS facts,
     max(CASE type(edge) WHEN 'SYNONYM' THEN edge.score END) * $synonym_weight / 2 AS synonym
WITH source, target,
     CASE WHEN synonym IS NULL OR size(replace(source.name, ' ', '')) <= 2 THEN facts ELSE synonym END +
     CASE WHEN synonym IS NULL OR size(replace(target.name, ' ', '')) <= 2 THEN facts ELSE synonym END AS weight
WITH gds.graph.project($graph, source, target,
       {relationshipProperties: {weight: weight}},
       {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projected
RETURN projected.nodeCount AS nodes, projected.relationshipCount AS relationships
