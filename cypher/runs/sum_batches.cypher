// What the batches cost whose answers these runs wrote into the graph, by run.
// params: namespace (str), runs (list of str)
// returns: run (str), batches (int), prompt_tokens (int), completion_tokens (int), cost (float or null, where one of
//          them had no price), currency (str or null), price_date (str or null)
// mode: read
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace}) WHERE batch.run IN $runs
WITH batch, coalesce(batch.prompt_tokens, 0) AS prompt, coalesce(batch.completion_tokens, 0) AS completion
RETURN batch.run AS run, count(*) AS batches, sum(prompt) AS prompt_tokens, sum(completion) AS completion_tokens,
       CASE WHEN count(batch.cost) > 0
                 AND count(DISTINCT batch.currency) = 1
                 AND count(CASE WHEN batch.cost IS NULL AND prompt + completion > 0 THEN 1 END) = 0
            THEN toFloat(sum(batch.cost)) END AS cost,
       max(batch.currency) AS currency, toString(max(batch.price_date)) AS price_date
ORDER BY run
