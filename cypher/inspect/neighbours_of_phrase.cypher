// Where the walk goes from a phrase: its neighbours by weight. A fact weighs twice the passages that state it, a
// synonym twice its cosine, parallel edges add up; share is of all that leads away over phrases.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'oda merrin'), limit (int, default 25)
// returns: neighbour (str), weight (float), share (float), facts (int, between the two), cosine (float or null, of
//          synonyms), passages (int, that mention the neighbour)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace, name: $phrase})
MATCH (phrase)-[edge:RELATES|SYNONYM]-(other:Phrase {namespace: $namespace})
WITH phrase, sum(2.0 * coalesce(size(edge.passages), edge.score)) AS total
MATCH (phrase)-[edge:RELATES|SYNONYM]-(other:Phrase {namespace: $namespace})
WITH total, other, sum(2.0 * coalesce(size(edge.passages), edge.score)) AS weight, count(edge.predicate) AS facts,
     max(edge.score) AS cosine
ORDER BY weight DESC, other.name LIMIT $limit
RETURN other.name AS neighbour, round(weight, 3) AS weight, round(weight / total, 3) AS share, facts,
       round(cosine, 3) AS cosine, COUNT { (other)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
ORDER BY weight DESC, neighbour
