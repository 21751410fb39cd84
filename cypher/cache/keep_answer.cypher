// Keep what a language model answered; a newer answer to the same takes the place of an older one. Nothing is
// kept where there is no graph, or none any more.
// params: key (str), namespace (str), properties (map of text, kind, model, prompt_tokens, completion_tokens), now (datetime)
// returns: nothing
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
MERGE (answer:HippoAnswer {key: $key})
SET answer += $properties, answer.key = $key, answer.namespace = $namespace, answer.created = $now
