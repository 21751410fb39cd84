// The texts that a language model answered before, for some of the keys.
// params: keys (list of str), namespace (str)
// returns: key (str), text (str)
// mode: read
CYPHER 25
MATCH (answer:HippoAnswer) WHERE answer.key IN $keys AND answer.namespace = $namespace
RETURN answer.key AS key, answer.text AS text
