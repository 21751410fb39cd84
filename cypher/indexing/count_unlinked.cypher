// How many phrases have not had their synonyms looked for.
// params: namespace (str)
// returns: phrases (int)
// mode: read
CYPHER 25
MATCH (phrase:Phrase {namespace: $namespace, unlinked: true})
RETURN count(*) AS phrases
