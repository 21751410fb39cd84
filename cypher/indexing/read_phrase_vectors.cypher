// All phrases of a namespace with their vectors; `unlinked` where synonyms were not looked for yet.
// params: namespace (str), dimensions (int)
// returns: key (str), name (str), unlinked (bool), embedding (vector)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
RETURN phrase.key AS key, phrase.name AS name, coalesce(phrase.unlinked, false) AS unlinked,
       vector(phrase.embedding, $dimensions, FLOAT32) AS embedding
