// How the graph grew, day by day. What stands in it today by the day (UTC) on which it was added; what was deleted
// or replaced doesn't count.
// params: namespace (str, such as 'demo'), limit (int, default 60)
// returns: day (date), passages (int), facts (int), facts_per_passage (float or null)
// mode: read
CYPHER 25
CALL () {
  MATCH (passage:Passage {namespace: $namespace}) RETURN date(passage.created) AS day, 1 AS passage, 0 AS fact
  UNION ALL
  MATCH (:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
  RETURN date(fact.created) AS day, 0 AS passage, 1 AS fact
}
WITH day, sum(passage) AS passages, sum(fact) AS facts
RETURN day, passages, facts, round(toFloat(facts) / nullIf(passages, 0), 1) AS facts_per_passage
ORDER BY day DESC LIMIT $limit
