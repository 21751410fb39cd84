// Passages around the names in a question. Given as phrases; those that mention most of them come first, directly
// or over one fact or synonym.
// params: namespace (str, such as 'demo'), entities (list of str, phrases, such as ['pellick', 'oda merrin']), limit
//         (int, default 25)
// returns: title (str), names (list of str, mentioned), near (list of str, one step away), id (str)
// mode: read
CYPHER 25
UNWIND $entities AS entity
MATCH (seed:Phrase {namespace: $namespace, name: entity})
CALL (seed) {
  MATCH (seed)<-[:MENTIONS]-(passage:Passage {namespace: $namespace})
  RETURN passage, 0 AS steps
  UNION
  MATCH (seed)-[:RELATES|SYNONYM]-(:Phrase {namespace: $namespace})
        <-[:MENTIONS]-(passage:Passage {namespace: $namespace})
  RETURN DISTINCT passage, 1 AS steps
}
WITH passage, seed.name AS name, min(steps) AS steps ORDER BY name
WITH passage, collect(CASE steps WHEN 0 THEN name END) AS names, collect(CASE steps WHEN 1 THEN name END) AS near
RETURN passage.title AS title, names, near, passage.id AS id
ORDER BY size(names) + size(near) DESC, size(names) DESC, title, id LIMIT $limit
