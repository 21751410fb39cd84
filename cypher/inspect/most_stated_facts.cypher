// The facts that most passages state.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: subject (str), says (str), object (str), passages (int, that state it)
// mode: read
CYPHER 25
MATCH (subject:Phrase {namespace: $namespace})-[fact:RELATES]->(object:Phrase {namespace: $namespace})
RETURN subject.name AS subject, fact.predicate AS says, object.name AS object, size(fact.passages) AS passages
ORDER BY passages DESC, subject, says, object LIMIT $limit
