// Batches that were sent to a language model's Batch API, oldest first, the largest first of a round; `age` is the
// seconds since their sender last gave a sign of life.
// params: namespace (str)
// returns: batch (map), age (int)
// mode: read
CYPHER 25
MATCH (batch:HippoBatch {namespace: $namespace})
RETURN batch {
  .id, .job, .round, .batch, .status, .requests, .answered, .unanswered, .kept, .unreadable_answers, .cut_off,
  .refused, .failures, .undone, .over_limit, .at_once, .dialect, .error, .complaint, .source, .passage_size, .identity,
  .patience, .prompt_tokens, .completion_tokens, .cost, .currency, .run, .created, .collected, .finished
} AS batch, duration.inSeconds(batch.leased, datetime()).seconds AS age
ORDER BY batch.created, batch.requests DESC, batch.id
