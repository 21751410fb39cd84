// Passages of a namespace by state, with what was set aside when they were read.
// params: namespace (str)
// returns: status (str), passages (int), mentions (int), malformed (int), dropped (int), truncated (int, passages), without_facts (int)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH passage, COUNT { (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace}) } AS mentions
RETURN passage.status AS status, count(*) AS passages, sum(mentions) AS mentions,
       sum(size(coalesce(passage.malformed, []))) AS malformed, sum(coalesce(passage.dropped, 0)) AS dropped,
       sum(CASE WHEN passage.truncated THEN 1 ELSE 0 END) AS truncated,
       sum(CASE WHEN mentions = 0 THEN 1 ELSE 0 END) AS without_facts
ORDER BY status
