// Keep what a language model answered; a newer answer to the same takes the place of an older one.
// params: key (str), namespace (str), properties (map of text, kind, model, prompt_tokens, completion_tokens), now (datetime)
// returns: nothing
// mode: write
CYPHER 25
MERGE (answer:HippoAnswer {key: $key})
SET answer += $properties, answer.key = $key, answer.namespace = $namespace, answer.created = $now
