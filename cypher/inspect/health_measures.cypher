// How well passages became a graph, in counts and shares. `hipporag-neo4j status --health` says what is fine and
// what to do.
// params: namespace (str, such as 'demo')
// returns: measure (str), count (int), of (int), share (float or null)
// mode: read
CYPHER 25
MATCH (graph:HippoGraph {namespace: $namespace})
CALL () {
  MATCH (passage:Passage {namespace: $namespace})
  WITH passage, size([word IN split(passage.text, ' ') WHERE word <> '']) AS words,
       EXISTS { (passage)-[:MENTIONS]->(:Phrase {namespace: $namespace}) } AS stated
  RETURN count(*) AS passages, sum(CASE WHEN stated THEN 0 ELSE 1 END) AS silent, coalesce(sum(words), 0) AS words,
         sum(size(coalesce(passage.malformed, []))) AS malformed,
         sum(CASE passage.status WHEN 'failed' THEN 1 ELSE 0 END) AS failed
}
CALL (graph) {
  MATCH (passage:Passage {namespace: $namespace}) WHERE passage.entities IS NOT NULL
  WITH graph, passage, COLLECT {
    MATCH (passage)-[:MENTIONS]->(phrase:Phrase {namespace: $namespace}) RETURN phrase.name
  } AS used
  UNWIND passage.entities AS entity
  WITH used, CASE graph.normalisation
       WHEN 'paper' THEN
         trim(reduce(kept = '', c IN split(toLower(entity), '') | kept + CASE WHEN c =~ '[a-z0-9]' THEN c ELSE ' ' END))
       ELSE
         trim(reduce(joined = '', word IN [word IN split(
           reduce(kept = '', c IN split(normalize(toLower(normalize(entity, NFKC)), NFKC), '') |
             kept + CASE WHEN c =~ '[\\p{L}\\p{M}\\p{N}\\p{Cs}]' THEN c ELSE ' ' END), ' ')
           WHERE word <> ''] | joined + ' ' + word))
     END AS name
  RETURN count(*) AS entities, sum(CASE WHEN name IN used THEN 0 ELSE 1 END) AS unused
}
CALL () {
  MATCH (:Phrase {namespace: $namespace})-[fact:RELATES]->(:Phrase {namespace: $namespace})
  RETURN count(*) AS facts, coalesce(sum(size(fact.passages)), 0) AS statements
}
CALL () {
  MATCH (phrase:Phrase {namespace: $namespace})
  WITH COUNT { (phrase)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages,
       EXISTS { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) } AS joined
  RETURN count(*) AS phrases, sum(CASE passages WHEN 1 THEN 1 ELSE 0 END) AS lone,
         sum(CASE passages WHEN 0 THEN 1 ELSE 0 END) AS orphans, sum(CASE WHEN joined THEN 0 ELSE 1 END) AS apart
}
UNWIND [
  {measure: 'passages without facts', count: silent, of: passages},
  {measure: 'passages that failed', count: failed, of: passages},
  {measure: 'facts stated, of words', count: statements, of: words},
  {measure: 'malformed triples', count: malformed, of: malformed + statements},
  {measure: 'named entities without a fact', count: unused, of: entities},
  {measure: 'phrases of one passage only', count: lone, of: phrases},
  {measure: 'phrases without a synonym', count: apart, of: phrases},
  {measure: 'phrases of no passage', count: orphans, of: phrases}
] AS row
RETURN row.measure AS measure, row.count AS count, row.of AS of,
       round(toFloat(row.count) / nullIf(row.of, 0), 4) AS share
