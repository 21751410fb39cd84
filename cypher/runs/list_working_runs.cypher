// The latest runs of a namespace that wrote passages or asked a language model, the last one first, and the seconds since
// each was heard of.
// params: namespace (str), limit (int)
// returns: run (map), silent (float, seconds)
// mode: read
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace}) WHERE run.written > 0 OR run.prompt_tokens + run.completion_tokens > 0
WITH run, coalesce(run.started, run.recorded) AS began ORDER BY began DESC, run.id DESC LIMIT $limit
RETURN properties(run) AS run, duration.inSeconds(run.recorded, datetime()).milliseconds / 1000.0 AS silent
ORDER BY began DESC, run.id DESC
