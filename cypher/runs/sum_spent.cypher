// What all runs of a namespace have spent on each language model; tokens of runs without a price stand apart.
// params: namespace (str)
// returns: model (str), runs (int), prompt_tokens (int), completion_tokens (int), cost (float), currency (str or null),
//          unpriced_tokens (int)
// mode: read
CYPHER 25
MATCH (run:HippoRun {namespace: $namespace}) WHERE run.prompt_tokens + run.completion_tokens > 0
RETURN coalesce(run.model, 'unknown') AS model, count(*) AS runs, sum(run.prompt_tokens) AS prompt_tokens,
       sum(run.completion_tokens) AS completion_tokens, toFloat(sum(run.cost)) AS cost, run.currency AS currency,
       sum(CASE WHEN run.cost IS NULL THEN run.prompt_tokens + run.completion_tokens ELSE 0 END) AS unpriced_tokens
ORDER BY model, currency
