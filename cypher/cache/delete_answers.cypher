// Forget answers that were kept before a time; some at a time.
// params: namespace (str), before (datetime), limit (int)
// returns: answers (int, deleted)
// mode: write
CYPHER 25
MATCH (answer:HippoAnswer {namespace: $namespace}) WHERE answer.created < $before
WITH answer LIMIT $limit
DELETE answer
RETURN count(*) AS answers
