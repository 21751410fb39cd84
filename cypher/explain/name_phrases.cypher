// Names of phrases.
// params: namespace (str), keys (list of str)
// returns: key (str), name (str)
// mode: read
CYPHER 25
UNWIND $keys AS key
MATCH (phrase:Phrase {key: key}) WHERE phrase.namespace = $namespace
RETURN phrase.key AS key, phrase.name AS name
