// Synonyms that look different: other numbers, or no word that begins alike. Those that most passages mention
// first, since walks cross them most often.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrase (str), synonym (str), why (str), cosine (float), passages (int, that mention one of the two)
// mode: read
CYPHER 25
MATCH (one:Phrase {namespace: $namespace})
WITH DISTINCT one
MATCH (one)-[edge:SYNONYM]->(two:Phrase {namespace: $namespace})
WITH one, two, edge, split(one.name, ' ') AS ones, split(two.name, ' ') AS twos
WITH one, two, edge, ones, twos,
     [word IN ones WHERE word =~ '.*[0-9].*' AND NOT word IN twos]
       + [word IN twos WHERE word =~ '.*[0-9].*' AND NOT word IN ones] AS numbers
WITH one, two, edge,
     CASE
       WHEN size(numbers) > 0 THEN 'other numbers'
       WHEN none(word IN ones WHERE any(other IN twos WHERE left(other, 4) = left(word, 4))) THEN 'no word alike'
     END AS why
WHERE why IS NOT NULL
WITH one, two, why, edge.score AS score,
     COUNT { (one)<-[:MENTIONS]-(:Passage {namespace: $namespace}) }
       + COUNT { (two)<-[:MENTIONS]-(:Passage {namespace: $namespace}) } AS passages
RETURN CASE WHEN one.name < two.name THEN one.name ELSE two.name END AS phrase,
       CASE WHEN one.name < two.name THEN two.name ELSE one.name END AS synonym,
       why, round(score, 3) AS cosine, passages
ORDER BY passages DESC, cosine, phrase, synonym LIMIT $limit
