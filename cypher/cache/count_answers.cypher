// Kept answers by what was asked and by model, with what they had cost.
// params: namespace (str)
// returns: kind (str), model (str), answers (int), characters (int), prompt_tokens (int), completion_tokens (int),
//          oldest (datetime), newest (datetime)
// mode: read
CYPHER 25
MATCH (answer:HippoAnswer {namespace: $namespace})
RETURN answer.kind AS kind, answer.model AS model, count(*) AS answers, sum(size(answer.text)) AS characters,
       sum(answer.prompt_tokens) AS prompt_tokens, sum(answer.completion_tokens) AS completion_tokens,
       min(answer.created) AS oldest, max(answer.created) AS newest
ORDER BY model, kind
