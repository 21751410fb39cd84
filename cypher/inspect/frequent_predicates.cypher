// The predicates that most facts have.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: says (str), facts (int), subjects (int), objects (int), for_example (str)
// mode: read
CYPHER 25
MATCH (subject:Phrase {namespace: $namespace})-[fact:RELATES]->(object:Phrase {namespace: $namespace})
RETURN fact.predicate AS says, count(*) AS facts, count(DISTINCT subject) AS subjects,
       count(DISTINCT object) AS objects,
       min(subject.name + ' - ' + fact.predicate + ' - ' + object.name) AS for_example
ORDER BY facts DESC, says LIMIT $limit
