// All phrases of a namespace with their vectors; `unlinked` tells those whose synonyms were not looked for yet
// from others of the same name that another run makes later.
// params: namespace (str), dimensions (int)
// returns: key (str), name (str), unlinked (str or null), embedding (vector)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
RETURN phrase.key AS key, phrase.name AS name, toString(phrase.unlinked) AS unlinked,
       vector(phrase.embedding, $dimensions, FLOAT32) AS embedding
