// Phrases of a namespace, their synonym pairs, and those whose synonyms were not looked for yet.
// params: namespace (str)
// returns: phrases (int), synonyms (int), unlinked (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace})
RETURN count(*) AS phrases, sum(COUNT { (phrase)-[:SYNONYM]->(:Phrase {namespace: $namespace}) }) AS synonyms,
       count(phrase.unlinked) AS unlinked
