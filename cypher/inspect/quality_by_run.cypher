// What reading gave, by run. Of the passages as they stand today, by the run that wrote them, the last one first: a
// trend shows.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: run (str), model (str or null), since (datetime), passages (int), without_facts (int), facts (int,
//          stated), per_100_words (float or null), malformed (int, triples), failed (int, passages)
// mode: read
CYPHER 25
MATCH (passage:Passage {namespace: $namespace})
WITH passage,
     COUNT {
       (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
       WHERE passage.id IN fact.passages
     } AS facts,
     size([word IN split(passage.text, ' ') WHERE word <> '']) AS words
WITH passage.run AS run, min(passage.created) AS since, count(*) AS passages,
     sum(CASE facts WHEN 0 THEN 1 ELSE 0 END) AS without_facts, sum(facts) AS facts, sum(words) AS words,
     sum(size(coalesce(passage.malformed, []))) AS malformed,
     sum(CASE passage.status WHEN 'failed' THEN 1 ELSE 0 END) AS failed
OPTIONAL MATCH (report:HippoRun {namespace: $namespace, id: run})
RETURN run, report.model AS model, since, passages, without_facts, facts,
       round(100.0 * facts / nullIf(words, 0), 1) AS per_100_words, malformed, failed
ORDER BY run DESC LIMIT $limit
