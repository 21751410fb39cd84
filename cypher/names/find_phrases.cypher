// Which of some phrases are there, by key.
// params: namespace (str), keys (list of phrase keys)
// returns: key (str)
// mode: read
CYPHER 25
MATCH (phrase:Phrase) WHERE phrase.key IN $keys AND phrase.namespace = $namespace
RETURN phrase.key AS key
