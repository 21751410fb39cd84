// Nodes and relationships of others that use this product's labels together with its property `key` or `namespace`.
// params: none
// returns: what (str), found (int)
// mode: read
CYPHER 25
CALL () {
  MATCH (node:Passage|Phrase)
  WHERE (node.key IS NOT NULL OR node.namespace IS NOT NULL)
    AND NOT EXISTS { MATCH (graph:HippoGraph) WHERE graph.namespace = node.namespace }
  RETURN labels(node)[0] AS what, count(*) AS found
  UNION ALL
  MATCH ()-[fact:RELATES]->()
  WHERE (fact.key IS NOT NULL OR fact.namespace IS NOT NULL)
    AND NOT EXISTS { MATCH (graph:HippoGraph) WHERE graph.namespace = fact.namespace }
  RETURN type(fact) AS what, count(*) AS found
}
RETURN what, found
