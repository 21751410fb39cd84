// Phrases whose name holds a text. To find the names that the other queries want.
// params: namespace (str, such as 'demo'), text (str, normalised, such as 'observatory'), limit (int, default 25)
// returns: phrase (str), passages (int, that mention it), facts (int), synonyms (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.name CONTAINS $text AND phrase.namespace = $namespace
WITH phrase ORDER BY size(phrase.name), phrase.name LIMIT $limit
RETURN phrase.name AS phrase,
       COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages,
       COUNT { (phrase)-[:RELATES]-(:Phrase {namespace: $namespace}) } AS facts,
       COUNT { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) } AS synonyms
ORDER BY size(phrase), phrase
