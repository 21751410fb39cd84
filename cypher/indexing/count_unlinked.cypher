// How many phrases have not had their synonyms looked for.
// params: namespace (str)
// returns: phrases (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace}) WHERE phrase.unlinked IS NOT NULL
RETURN count(*) AS phrases
