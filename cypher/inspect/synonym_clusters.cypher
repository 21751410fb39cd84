// Groups of phrases that synonyms hold together. The largest first: a group of unlike names is the sign of a
// threshold that is too low. Slow where one group holds thousands; tune-synonyms counts them faster.
// params: namespace (str, such as 'demo'), limit (int, default 25)
// returns: phrases (int), names (list of str, the first 10)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace}) 
WHERE EXISTS { (phrase)-[:SYNONYM]-(:Phrase {namespace: $namespace}) }
  AND NOT EXISTS { (phrase)-[:SYNONYM]-(other:Phrase {namespace: $namespace}) WHERE other.name < phrase.name }
CALL (phrase) {
  MATCH (phrase)-[:SYNONYM*0..30]-(member:Phrase {namespace: $namespace})
  WITH DISTINCT member ORDER BY member.name
  RETURN collect(member.name) AS names
}
WITH phrase, names WHERE phrase.name = names[0]
RETURN size(names) AS phrases, names[..10] AS names
ORDER BY phrases DESC, names LIMIT $limit
