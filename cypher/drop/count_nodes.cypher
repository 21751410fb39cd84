// Nodes of a namespace by kind, the graph's own node left out.
// params: namespace (str)
// returns: what (str), found (int); no row for a kind that has none
// mode: read
CYPHER 25
CALL () {
  MATCH (node:Passage {namespace: $namespace}) RETURN 'passages' AS what, count(*) AS found
  UNION ALL
  MATCH (node:HippoDeleted {namespace: $namespace}) RETURN 'deleted' AS what, count(*) AS found
  UNION ALL
  MATCH (node:Phrase {namespace: $namespace}) RETURN 'phrases' AS what, count(*) AS found
  UNION ALL
  MATCH (node:HippoRun {namespace: $namespace}) RETURN 'runs' AS what, count(*) AS found
  UNION ALL
  MATCH (node:HippoAnswer {namespace: $namespace}) RETURN 'answers' AS what, count(*) AS found
  UNION ALL
  MATCH (node:HippoBatch {namespace: $namespace}) RETURN 'batches' AS what, count(*) AS found
}
RETURN what, found
