// Facts of which one denies the other, or turns it round. Between the same two phrases: is, is not; or a is father
// of b, b is father of a.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: subject (str), says (str), object (str), against (str, the other fact)
// mode: read
CYPHER 25
MATCH (subject:Phrase {namespace: $namespace})-[fact:RELATES]->(object:Phrase {namespace: $namespace})
MATCH (subject)-[other:RELATES]-(object) WHERE other <> fact
WITH subject, fact, object, other,
     [word IN split(other.predicate, ' ') WHERE NOT word IN ['not', 'never', 'no', 'longer', 't']] AS affirmed
WHERE startNode(other) = subject AND other.predicate <> fact.predicate AND affirmed = split(fact.predicate, ' ')
   OR startNode(other) = object AND other.predicate = fact.predicate AND subject.name < object.name
RETURN subject.name AS subject, fact.predicate AS says, object.name AS object,
       startNode(other).name + ' - ' + other.predicate + ' - ' + endNode(other).name AS against
ORDER BY subject, says, object, against LIMIT $limit
