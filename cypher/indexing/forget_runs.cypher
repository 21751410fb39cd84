// Forget the oldest runs that asked nothing of a language model, beyond the latest few; the others tell what was spent.
// params: namespace (str), kept (int)
// returns: runs (int)
// mode: write
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace})
WHERE run.state <> 'running' AND coalesce(run.prompt_tokens, 0) + coalesce(run.completion_tokens, 0) = 0
WITH run ORDER BY coalesce(run.started, run.recorded) DESC SKIP $kept
DELETE run
RETURN count(*) AS runs
