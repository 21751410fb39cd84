// What joins the names in a question, as a graph. Given as phrases; what leads from one to another over at most 2
// facts or synonyms comes first, then what each is joined to.
// params: namespace (str, such as 'demo'), entities (list of str, phrases, such as ['pellick', 'oda merrin']), limit
//         (int, default 50)
// returns: path (path)
// mode: read
CYPHER 25
CALL () {
  UNWIND $entities AS entity
  UNWIND $entities AS other
  WITH DISTINCT entity, other WHERE entity < other
  MATCH (source:Phrase {namespace: $namespace, name: entity})
  MATCH (target:Phrase {namespace: $namespace, name: other})
  MATCH path = (source)(()-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})){1,2}(target)
  RETURN path, 0 AS turn
  UNION
  UNWIND $entities AS entity
  MATCH path = (seed:Phrase {namespace: $namespace, name: entity})-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})
  RETURN path, 1 AS turn
}
RETURN path ORDER BY turn, length(path), [node IN nodes(path) | node.name],
  [edge IN relationships(path) | coalesce(edge.predicate, '')] LIMIT $limit
