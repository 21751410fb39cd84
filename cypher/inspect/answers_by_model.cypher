// What each language model was asked, and what it cost. As far as its answers are kept: passages read, questions
// decided, answers given.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: model (str), asked (str), answers (int), prompt_tokens (int), completion_tokens (int), first (datetime),
//          last (datetime)
// mode: read
CYPHER 25
MATCH (answer:HippoAnswer {namespace: $namespace})
RETURN answer.model AS model, answer.kind AS asked, count(*) AS answers, sum(answer.prompt_tokens) AS prompt_tokens,
       sum(answer.completion_tokens) AS completion_tokens, min(answer.created) AS first, max(answer.created) AS last
ORDER BY model, asked LIMIT $limit
