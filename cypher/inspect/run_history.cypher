// What each run did. The last one first.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: run (str), kind (str), state (str), model (str or null), written (int), unchanged (int), failed (int),
//          deleted (int), synonyms (int), tokens (int), seconds (float), recorded (datetime)
// mode: read
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace})
RETURN run.id AS run, run.kind AS kind, run.state AS state, run.model AS model, run.written AS written,
       run.unchanged AS unchanged, run.failed AS failed, run.deleted AS deleted, run.synonyms AS synonyms,
       run.prompt_tokens + run.completion_tokens AS tokens,
       round(coalesce(run.seconds_total, run.seconds), 1) AS seconds, run.recorded AS recorded
ORDER BY recorded DESC, run LIMIT $limit
