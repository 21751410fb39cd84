// Phrases that no synonym joins to another. Those that most passages mention first.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), passages (int, that mention it), facts (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE NOT EXISTS { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) }
WITH phrase, COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
ORDER BY passages DESC, phrase.name LIMIT $limit
RETURN phrase.name AS phrase, passages, COUNT { (phrase)-[:RELATES]-(:Phrase {namespace: $namespace}) } AS facts
ORDER BY passages DESC, phrase
