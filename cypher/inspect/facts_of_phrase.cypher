// Facts about a phrase. As subject or as object, those that most passages state first.
// params: namespace (str, such as 'demo'), phrase (str, phrase, such as 'oda merrin'), limit (int, default 25)
// returns: subject (str), says (str), object (str), passages (int, that state it), stated_in (list of str, up to 3
//          titles)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace, name: $phrase})-[fact:RELATES]-(:Phrase {namespace: $namespace})
WITH phrase, fact, startNode(fact).name AS subject, endNode(fact).name AS object
ORDER BY size(fact.passages) DESC, subject, fact.predicate, object LIMIT $limit
RETURN subject, fact.predicate AS says, object, size(fact.passages) AS passages,
       COLLECT {
         MATCH (phrase)<-[:MENTIONS]-(passage:Passage {namespace: $namespace}) WHERE passage.id IN fact.passages
         WITH CASE passage.title WHEN '' THEN passage.id ELSE passage.title END AS title
         RETURN title ORDER BY title LIMIT 3
       } AS stated_in
ORDER BY passages DESC, subject, says, object
