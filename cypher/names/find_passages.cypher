// Which of some passages are there, by id or title.
// params: namespace (str), names (list of str)
// returns: id (str), title (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id IN $names OR passage.title IN $names
RETURN passage.id AS id, passage.title AS title
