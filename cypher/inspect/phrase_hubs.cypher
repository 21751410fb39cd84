// Phrases with the most facts and synonyms. Where walks meet, and where they spread too thin if a hub says little.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), edges (int), facts (int), synonyms (int), passages (int, that mention it)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WITH phrase,
     COUNT { (phrase)-[:RELATES]-(:Phrase {namespace: $namespace}) } AS facts,
     COUNT { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) } AS synonyms
ORDER BY facts + synonyms DESC, phrase.name LIMIT $limit
RETURN phrase.name AS phrase, facts + synonyms AS edges, facts, synonyms,
       COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
ORDER BY edges DESC, phrase
