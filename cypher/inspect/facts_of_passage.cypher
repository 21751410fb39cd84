// The facts that were read in a passage. And how many other passages state them too.
// params: namespace (str, such as 'demo'), passage (str, passage, such as 'Oda Merrin'), limit (int, default 25)
// returns: subject (str), says (str), object (str), others (int, passages that state it too), title (str), id (str)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace}) WHERE passage.id = $passage OR passage.title = $passage
MATCH (passage)-[:MENTIONS]->(subject:Phrase {namespace: $namespace})
      -[fact:RELATES]->(object:Phrase {namespace: $namespace})
WHERE passage.id IN fact.passages
RETURN subject.name AS subject, fact.predicate AS says, object.name AS object, size(fact.passages) - 1 AS others,
       passage.title AS title, passage.id AS id
ORDER BY id, subject, says, object LIMIT $limit
