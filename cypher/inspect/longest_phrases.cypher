// The longest phrases. Whole clauses that a model wrote as a subject or an object join nothing.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), characters (int), words (int), passages (int, that mention it)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WITH phrase ORDER BY size(phrase.name) DESC, phrase.name LIMIT $limit
RETURN phrase.name AS phrase, size(phrase.name) AS characters,
       size([word IN split(phrase.name, ' ') WHERE word <> '']) AS words,
       COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
ORDER BY characters DESC, phrase
