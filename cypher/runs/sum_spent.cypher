// What all runs and batches of a namespace have spent on each language model; tokens without a price stand apart.
// params: namespace (str)
// returns: model (str), runs (int), batches (int), prompt_tokens (int), completion_tokens (int), cost (float),
//          currency (str or null), unpriced_tokens (int)
// mode: read
CYPHER 25
CALL () {
  MATCH (run:HippoRun {namespace: $namespace}) WHERE run.prompt_tokens + run.completion_tokens > 0
  RETURN run AS spent, run.model AS model, 1 AS run_count, 0 AS batch_count
  UNION ALL
  MATCH (batch:HippoBatch {namespace: $namespace}) WHERE batch.prompt_tokens + batch.completion_tokens > 0
  RETURN batch AS spent, batch.identity[0] AS model, 0 AS run_count, 1 AS batch_count
}
RETURN coalesce(model, 'unknown') AS model, sum(run_count) AS runs, sum(batch_count) AS batches,
       sum(spent.prompt_tokens) AS prompt_tokens, sum(spent.completion_tokens) AS completion_tokens,
       toFloat(sum(spent.cost)) AS cost, spent.currency AS currency,
       sum(CASE WHEN spent.cost IS NULL THEN spent.prompt_tokens + spent.completion_tokens ELSE 0 END)
         AS unpriced_tokens
ORDER BY model, currency
