// Keep what a language model answered to several requests, as `keep_answer` does.
// params: namespace (str), rows (list of map of key, properties), now (datetime)
// returns: nothing
// mode: write
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace}) WHERE graph.dropping IS NULL
UNWIND $rows AS row
MERGE (answer:HippoAnswer {key: row.key})
SET answer += row.properties, answer.key = row.key, answer.namespace = $namespace, answer.created = $now
