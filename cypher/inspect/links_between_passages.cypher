// Why two passages are connected. Phrases that both mention, and facts and synonyms from a phrase of one to a
// phrase of the other. What few passages mention connects best.
// params: namespace (str, such as 'demo'), passage (str, passage, such as 'Oda Merrin'), other (str, passage, such as
//         'An oath sworn over varnish'), limit (int, default 25)
// returns: link (str), in_passage (str, phrase), in_other (str, phrase), passages (int, that mention the rarer of the
//          two)
// mode: read
CYPHER 25
MATCH (first:Passage {namespace: $namespace}) WHERE first.id = $passage OR first.title = $passage
MATCH (second:Passage {namespace: $namespace}) WHERE second.id = $other OR second.title = $other
WITH first, second WHERE first <> second
MATCH (first)-[:MENTIONS]->(one:Phrase {namespace: $namespace})
CALL (second, one) {
  MATCH (second)-[:MENTIONS]->(one)
  RETURN one AS two, 'both mention it' AS link
  UNION
  MATCH (one)-[edge:RELATES|SYNONYM]-(two:Phrase {namespace: $namespace})<-[:MENTIONS]-(second)
  WHERE two <> one
  RETURN two,
         CASE
           WHEN type(edge) = 'SYNONYM' THEN '~ ' + toString(round(edge.score, 3)) + ' ~'
           WHEN startNode(edge) = one THEN edge.predicate + ' ->'
           ELSE '<- ' + edge.predicate
         END AS link
}
WITH DISTINCT one, two, link,
     COUNT { (one)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS ones,
     COUNT { (two)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS twos
RETURN link, one.name AS in_passage, two.name AS in_other, CASE WHEN ones < twos THEN ones ELSE twos END AS passages
ORDER BY passages, link, in_passage, in_other LIMIT $limit
