// All phrases of a namespace with their vectors, some hundreds a row, which is much less work for a client than one a row:
// those whose keys begin with the same digits. `unlinked` tells those whose synonyms were not looked for yet from others of
// the same name that another run makes later; a vector is null where a phrase was deleted meanwhile.
// params: namespace (str), dimensions (int), digits (int, of a key)
// returns: phrases (list of [key, name, unlinked, embedding])
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
WITH substring(phrase.key, 0, $digits) AS beginning, collect(phrase) AS some
RETURN [phrase IN some | [phrase.key, phrase.name, toString(phrase.unlinked),
                          vector(phrase.embedding, $dimensions, FLOAT32)]] AS phrases
