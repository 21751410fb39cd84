// The text that a language model answered before.
// params: key (str), namespace (str)
// returns: text (str); no row where nothing is kept
// mode: read
CYPHER 25
MATCH (answer:HippoAnswer {key: $key}) WHERE answer.namespace = $namespace
RETURN answer.text AS text
