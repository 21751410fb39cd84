// Phrases that one passage alone mentions. No walk leaves the passage through them, unless over a synonym; those
// with most facts first. Look for other ways to write what other passages name.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), facts (int), synonyms (int), title (str), id (str, of the passage)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WHERE COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } = 1
WITH phrase, COUNT { (phrase)-[:RELATES]-(:Phrase {namespace: $namespace}) } AS facts
ORDER BY facts DESC, phrase.name LIMIT $limit
MATCH (phrase)<-[:MENTIONS]-(passage:Passage {namespace: $namespace})
RETURN phrase.name AS phrase, facts, COUNT { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) } AS synonyms,
       passage.title AS title, passage.id AS id
ORDER BY facts DESC, phrase
